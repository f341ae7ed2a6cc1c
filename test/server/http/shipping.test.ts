/** The Dockerfile, Compose, the systemd unit and the Kubernetes example, as far as they can be checked without engines. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SECRET_VARIABLES } from '../../../src/config/variables.ts'
import { readConfig } from '../../../src/config.ts'
import { contextOf, copyOf, lastOf, type Stage, stagesOf, variablesOf } from '../../support/dockerfile.ts'
import { ROOT } from '../../support/processes.ts'
import { runProgram } from '../../support/program.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const home = mkdtempSync(join(tmpdir(), 'groundwave-shipping-'))
const instance = await sharedInstance()
afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

/** The variables that docs/configuration.md describes. */
const documented = new Set(
  [...read('docs/configuration.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name as string),
)
for (const name of SECRET_VARIABLES) documented.add(`${name}_FILE`)
/** Variables of Bun and of the system, not of Groundwave. */
const OF_OTHERS = new Set(['PATH', 'BUN_RUNTIME_TRANSPILER_CACHE_PATH', 'UV_THREADPOOL_SIZE', 'DEBIAN_FRONTEND'])
const undocumented = (names: readonly string[]): string[] =>
  names.filter((name) => !documented.has(name) && !OF_OTHERS.has(name))

const stages = stagesOf(read('Dockerfile'))
const last = stages.at(-1) as Stage
/** Words in names of variables that hold secrets; a name that ends with `_FILE` holds a path. */
const SECRET = /(PASSWORD|SECRET|TOKEN|_KEY|_URL)=/

test('the image is pinned, runs as an account without rights, and contains no secret', () => {
  for (const { image } of stages) expect(image).toMatch(/^debian:[a-z]+-slim@sha256:[\da-f]{64}$/)
  expect(stages.map(({ name }) => name)).toEqual(['build', '1'])
  const user = lastOf(last, 'USER')
  expect(user).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/)
  const instructions = last.instructions.map(({ name }) => name)
  // nothing runs as another account after that
  expect(instructions.slice(instructions.lastIndexOf('USER'))).not.toContain('RUN')
  for (const { instructions: all } of stages)
    for (const { name, text } of all) {
      if (name === 'ENV' || name === 'ARG') expect(text).not.toMatch(SECRET)
      expect(name).not.toBe('ADD')
      // an archive of packages belongs to no layer
      if (name === 'RUN' && text.includes('apt-get install'))
        expect(text).toMatch(/--no-install-recommends .*rm -rf \/var\/lib\/apt\/lists/)
    }
  const env = variablesOf(last.instructions)
  expect(undocumented(Object.keys(env))).toEqual([])
  const config = readConfig(env)
  expect([config.host, config.port, config.home]).toEqual(['0.0.0.0', 8080, '/data'])
  expect([lastOf(last, 'EXPOSE'), lastOf(last, 'VOLUME')]).toEqual(['8080 8081', '/data'])
  // operators and /metrics are not on the public port
  expect([config.adminHost, config.adminPort]).toEqual(['0.0.0.0', 8081])
})

test('the files that the image copies exist and are part of the build context, and nothing else is', () => {
  const inContext = contextOf(ROOT)
  const names = new Set(stages.map(({ name }) => name))
  const copied: string[] = []
  for (const { instructions } of stages)
    for (const instruction of instructions.filter(({ name }) => name === 'COPY')) {
      const { from, sources } = copyOf(instruction)
      if (from !== undefined) expect(names).toContain(from)
      else copied.push(...sources)
    }
  for (const source of copied) {
    expect([source, existsSync(join(ROOT, source))]).toEqual([source, true])
    expect([source, inContext(source)]).toEqual([source, true])
  }
  for (const path of [
    '.git/config',
    'data/operator.token',
    'node_modules/bun/package.json',
    'test/image.ts',
    'secrets/a',
  ])
    expect([path, inContext(path)]).toEqual([path, false])
  expect(inContext('src/main.ts') && inContext('sql/postgres/0001-metadata.sql')).toBe(true)
  const [program, ...args] = JSON.parse(/CMD (\[.*\])/.exec(lastOf(last, 'HEALTHCHECK') ?? '')?.[1] ?? '[]') as string[]
  expect(program).toBe('bun')
  const entry = JSON.parse(lastOf(last, 'CMD') ?? '[]') as string[]
  for (const script of [...args, ...entry]) expect(inContext(script) && existsSync(join(ROOT, script))).toBe(true)
})

test('the health check of the image succeeds for a running server and fails without one', async () => {
  const check = async (env: Record<string, string>, ...args: string[]): Promise<[number, string]> => {
    const child = Bun.spawn([process.execPath, 'src/cli/health-check.ts', ...args], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: home, ...env },
      stderr: 'pipe',
    })
    return [await child.exited, await new Response(child.stderr).text()]
  }
  const port = String(instance.port())
  expect(await check({ PORT: port, HOST: '0.0.0.0' })).toEqual([0, ''])
  expect(await check({ PORT: port }, 'ready')).toEqual([0, ''])
  // another program on the port could answer without HTTP; port 1 never belongs to a server here
  const [code, text] = await check({ PORT: '1' })
  expect(code).toBe(1)
  expect(text).toStartWith('http://127.0.0.1:1/health/live does not answer: ')
  expect(await check({ PORT: port }, 'alive')).toEqual([2, '"alive" must be "live" or "ready"\n'])
}, 60_000)

type ComposeService = {
  image: string
  environment?: Record<string, string>
  secrets?: string[]
  ports?: string[]
  restart: string
  mem_limit: string
  healthcheck?: object
  read_only?: boolean
  cap_drop?: string[]
  command?: string | string[]
}
type Compose = { services: Record<string, ComposeService>; secrets: Record<string, { file: string }> }

test('Compose uses the image, limits and secrets from files', async () => {
  const compose = Bun.YAML.parse(read('compose.yaml')) as Compose
  const { groundwave, ...stores } = compose.services as { groundwave: ComposeService } & Compose['services']
  expect(groundwave).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
  expect(groundwave.image).toBe(`groundwave:${(JSON.parse(read('package.json')) as { version: string }).version}`)
  expect(undocumented(Object.keys(groundwave.environment ?? {}))).toEqual([])
  // the operator's port, which has /metrics, is for the machine itself
  expect(groundwave.ports).toContain('127.0.0.1:8081:8081')
  for (const name of ['PORT', 'ADMIN_PORT', 'ADMIN_HOST']) expect(groundwave.environment).not.toHaveProperty(name)
  for (const service of Object.values(stores)) {
    expect(service.ports).toBeUndefined()
    expect(service.healthcheck).toBeDefined()
    expect(service.image).toMatch(/:\d+\.\d+/)
  }
  for (const service of Object.values(compose.services)) {
    expect(service).toMatchObject({ restart: 'unless-stopped', mem_limit: expect.stringMatching(/^\d+g$/) })
    for (const name of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(name)
    const text = JSON.stringify([service.environment, service.command])
    for (const [, name] of text.matchAll(/\/run\/secrets\/([\w-]+)/g)) expect(service.secrets).toContain(name as string)
    // no variable contains a password
    for (const [name, value] of Object.entries(service.environment ?? {}))
      if (/PASSWORD|URL/.test(name)) expect([name, value]).toEqual([name, expect.stringMatching(/^\/run\/secrets\//)])
  }
  const dir = join(home, 'secrets')
  const make = (): Promise<number> => Bun.spawn(['sh', join(ROOT, 'deploy/make-secrets.sh'), dir]).exited
  expect(await make()).toBe(0)
  for (const [name, { file }] of Object.entries(compose.secrets)) {
    expect(file).toBe(`./secrets/${name}`)
    expect(existsSync(join(dir, name))).toBe(true)
  }
  expect(statSync(dir).mode & 0o777).toBe(0o700)
  const password = readFileSync(join(dir, 'postgres-password'), 'utf8')
  expect(password).toMatch(/^[\da-f]{48}$/)
  const config = readConfig({
    POSTGRES_URL_FILE: join(dir, 'postgres-url'),
    REDIS_URL_FILE: join(dir, 'redis-url'),
    CLICKHOUSE_URL_FILE: join(dir, 'clickhouse-url'),
    INSTANCES: '2',
  })
  expect(config.postgresUrl).toBe(`postgres://groundwave:${password}@postgres:5432/groundwave`)
  // a second run changes nothing
  expect(await make()).toBe(0)
  expect(readFileSync(join(dir, 'postgres-password'), 'utf8')).toBe(password)
})

type Manifest = { kind: string; metadata: { name: string; namespace?: string } } & Record<string, unknown>
type Probe = { httpGet: { path: string; port: string } }
type Container = {
  ports: { name: string; containerPort: number }[]
  securityContext: object
  volumeMounts: { name: string; mountPath: string }[]
} & Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', Probe>

test('the Kubernetes example uses documented variables, ports and paths that answer, and no rights', async () => {
  const manifests = Bun.YAML.parse(read('deploy/kubernetes.yaml')) as Manifest[]
  const ofKind = <T>(kind: string): T => manifests.find((manifest) => manifest.kind === kind) as T
  expect(manifests.map(({ kind }) => kind)).toEqual([
    'Namespace',
    'Secret',
    'ConfigMap',
    'Service',
    'Service',
    'StatefulSet',
    'PodDisruptionBudget',
  ])
  for (const { kind, metadata } of manifests) if (kind !== 'Namespace') expect(metadata.namespace).toBe('groundwave')
  const { data } = ofKind<{ data: Record<string, string> }>('ConfigMap')
  const { stringData } = ofKind<{ stringData: Record<string, string> }>('Secret')
  expect(undocumented(Object.keys(data))).toEqual([])
  const { spec } = ofKind<{
    spec: { template: { spec: { securityContext: object; containers: Container[]; volumes: { name: string }[] } } }
  }>('StatefulSet')
  const pod = spec.template.spec
  const container = pod.containers[0] as Container
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  expect(`${(pod.securityContext as { runAsUser: number }).runAsUser}:10001`).toBe(lastOf(last, 'USER') as string)
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  // each value of the Secret is the file of a variable, and the configuration accepts them all
  const mounts = container.volumeMounts
  const secretsAt = mounts.find(({ name }) => name === 'secrets')?.mountPath ?? ''
  const files: Record<string, string> = {}
  for (const [name, path] of Object.entries(data).filter(([key]) => key.endsWith('_FILE'))) {
    const key = path.slice(secretsAt.length + 1)
    expect(path).toBe(`${secretsAt}/${key}`)
    expect(Object.keys(stringData)).toContain(key)
    files[name] = join(home, key)
    writeFileSync(join(home, key), `${stringData[key]}\n`)
  }
  expect(Object.keys(files)).toHaveLength(Object.keys(stringData).length)
  const config = readConfig({ ...data, ...files })
  const ports = new Map(container.ports.map(({ name, containerPort }) => [name, containerPort]))
  expect([ports.get('http'), ports.get('admin')]).toEqual([config.port, config.adminPort])
  expect(config.adminPort).toBeGreaterThan(0)
  type Service = { metadata: { name: string }; spec: { ports: { targetPort: string }[] } }
  const everybody = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === 'groundwave')
  expect((everybody as Service | undefined)?.spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http'])
  expect(config.home.startsWith(`${mounts.find(({ name }) => name === 'data')?.mountPath}/`)).toBe(true)
  for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
    expect(probe.httpGet.port).toBe('http')
    expect((await fetch(instance.url() + probe.httpGet.path)).status).toBe(200)
  }
  const labels = { 'app.kubernetes.io/name': 'groundwave' }
  for (const kind of ['StatefulSet', 'PodDisruptionBudget'])
    expect(ofKind<{ spec: { selector: object } }>(kind).spec.selector).toEqual({ matchLabels: labels })
})

test('the systemd unit is valid, starts an existing program, and is hardened', async () => {
  const unit = read('deploy/groundwave.service')
  const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? 'missing'
  const [program = '', script = ''] = value('ExecStart').split(' ')
  expect(existsSync(join(ROOT, program.replace(`${value('WorkingDirectory')}/`, '')))).toBe(true)
  expect(existsSync(join(ROOT, script))).toBe(true)
  const names = value('Environment')
    .split(' ')
    .map((pair) => pair.split('=')[0] as string)
  expect(undocumented(names)).toEqual([])
  expect([value('ProtectSystem'), value('NoNewPrivileges'), value('CapabilityBoundingSet')]).toEqual([
    'strict',
    'yes',
    '',
  ])
  expect(value('KillMode')).toBe('mixed')
  expect(Number(value('TimeoutStopSec'))).toBeGreaterThan(10)
  if (Bun.which('systemd-analyze') === null) return
  // an existing program replaces the program of the installation
  const file = join(home, 'groundwave.service')
  writeFileSync(file, unit.replace(program, process.execPath).replaceAll(value('WorkingDirectory'), ROOT))
  const verified = runProgram('systemd-analyze', ['verify', '--man=no', file])
  expect([verified.status, verified.stderr.toString()]).toEqual([0, ''])
  expect(
    runProgram('systemd-analyze', ['security', '--offline=true', '--threshold=35', '--no-pager', file]).status,
  ).toBe(0)
})

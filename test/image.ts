/**
 * `bun run test:image`: builds the image without a container engine, and runs it. The steps of the Dockerfile run in
 * folders that debootstrap makes, one for each stage; then the entry point runs as the account of the image, with a
 * read-only root, a volume for /data and /tmp in memory. Needs root, debootstrap and the network, and takes five to
 * fifteen minutes. The folder of the base is used again by the next run; with IMAGE_RESUME=1, so are the first steps of
 * each stage that have not changed.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { $ } from 'bun'
import { contextOf, copyOf, lastOf, type Stage, stagesOf, variablesOf } from './support/dockerfile.ts'
import { checkImage } from './support/formats/image-checks.ts'
import { openMounts } from './support/workers/mounts.ts'

const ROOT = join(import.meta.dir, '..')
const HOME = process.env.IMAGE_DIR ?? join(tmpdir(), 'groundwave-image')
const MIRROR = 'http://deb.debian.org/debian'
/** As in Debian's slim images. */
const SLIM = ['doc', 'man', 'locale', 'info', 'lintian', 'groff', 'linda']
  .map((name) => `path-exclude /usr/share/${name}/*`)
  .join('\n')

const mounts = openMounts()
const inContext = contextOf(ROOT)
const startedMs = performance.now()
const say = (text: string): void => {
  process.stdout.write(`[${Math.round((performance.now() - startedMs) / 1000)} s] ${text}\n`)
}

/**
 * The folder of a Debian release, made once: with today's packages, because only a registry has the packages of the
 * digest.
 */
async function baseOf(image: string): Promise<string> {
  const release = /^debian:([a-z]+)-slim@sha256:[\da-f]{64}$/.exec(image)?.[1]
  if (release === undefined) throw new Error(`${image} is not a slim image of Debian with its digest`)
  const dir = join(HOME, `base-${release}`)
  if (existsSync(join(dir, '.complete'))) return dir
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  await $`debootstrap --variant=minbase ${release} ${dir} ${MIRROR}`.quiet()
  writeFileSync(join(dir, 'etc/dpkg/dpkg.cfg.d/docker'), `force-unsafe-io\n${SLIM}\n`)
  await $`cd ${dir}/usr/share && rm -rf doc man locale info lintian groff linda`
  // Debian's images have the archive of security updates as well
  writeFileSync(
    join(dir, 'etc/apt/sources.list'),
    `deb ${MIRROR} ${release} main\ndeb ${MIRROR} ${release}-updates main\ndeb ${MIRROR}-security ${release}-security main\n`,
  )
  await $`rm -rf ${dir}/var/cache/apt ${dir}/var/lib/apt/lists ${dir}/var/log`
  await $`mkdir -p ${dir}/var/lib/apt/lists/partial ${dir}/var/cache/apt/archives/partial ${dir}/var/log`
  writeFileSync(join(dir, '.complete'), '')
  return dir
}

/** Settings of a machine behind a proxy for its certificates; a container engine has them in its own configuration. */
function machineVariables(root: string): Record<string, string> {
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  if (certificates === undefined || !existsSync(certificates)) return {}
  const at = '/run/machine-certificates.pem'
  mkdirSync(join(root, 'run'), { recursive: true })
  writeFileSync(join(root, at), readFileSync(certificates))
  return { NODE_EXTRA_CA_CERTS: at, npm_config_cafile: at }
}

async function copy(stageRoot: string, workdir: string, text: ReturnType<typeof copyOf>, built: Map<string, string>) {
  const { from, sources, to } = text
  const target = join(stageRoot, to.startsWith('/') ? to : join(workdir, to))
  for (const source of sources) {
    const origin = from === undefined ? ROOT : built.get(from)
    if (origin === undefined) throw new Error(`there is no stage ${from}`)
    const isFolderTarget = to.endsWith('/')
    const path = join(origin, source)
    if (from !== undefined) {
      await $`mkdir -p ${target} && cp -a ${path}/. ${target}`
      continue
    }
    const files = (await $`git -C ${ROOT} ls-files --cached --others --exclude-standard -- ${source}`.text())
      .split('\n')
      .filter((file) => file !== '' && existsSync(join(ROOT, file)))
    const kept = files.filter(inContext)
    if (kept.length === 0) throw new Error(`COPY ${source}: the build context has no such file`)
    for (const file of kept) {
      const inside = file === source ? '' : file.slice(source.length + 1)
      const name = isFolderTarget ? join(target, source.split('/').at(-1) ?? '') : target
      const copied = inside === '' ? name : join(target, inside)
      mkdirSync(dirname(copied), { recursive: true })
      writeFileSync(copied, readFileSync(join(ROOT, file)), { mode: 0o644 })
    }
  }
}

/** Steps of a stage that an earlier run finished in the same folder. */
function finishedSteps(file: string): string[] {
  return process.env.IMAGE_RESUME === '1' && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
}

async function build(stage: Stage, built: Map<string, string>): Promise<string> {
  const dir = join(HOME, `stage-${stage.name}`)
  const stepsFile = join(dir, 'steps')
  const before = finishedSteps(stepsFile)
  if (before.length === 0) rmSync(dir, { recursive: true, force: true })
  const done: string[] = []
  let isSame = true
  const root = await mounts.overlay(await baseOf(stage.image), dir)
  const env: Record<string, string> = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
  let workdir = '/'
  for (const instruction of stage.instructions) {
    const { name, text } = instruction
    if (name === 'WORKDIR') {
      workdir = text
      mkdirSync(join(root, workdir), { recursive: true })
    } else if (name === 'ENV') Object.assign(env, variablesOf([instruction]))
    else if (name === 'COPY') {
      // files may have changed, so they are copied again
      say(`${stage.name}: COPY ${text}`)
      await copy(root, workdir, copyOf(instruction), built)
    } else if (name === 'RUN') {
      isSame &&= before[done.length] === text
      done.push(text)
      if (isSame) continue
      say(`${stage.name}: RUN ${text.slice(0, 100)}`)
      const more = machineVariables(root)
      const unmount = await mounts.system(root)
      // the working directory is entered inside the new root
      const ran =
        await $`env -i ${Object.entries({ ...env, HOME: '/root', ...more }).map(([key, value]) => `${key}=${value}`)} nice -n 10 chroot ${root} /bin/sh -c ${`cd ${workdir} && ${text}`}`
          .quiet()
          .nothrow()
      await unmount()
      rmSync(join(root, 'run/machine-certificates.pem'), { force: true })
      if (ran.exitCode !== 0)
        throw new Error(`line ${instruction.line}: ${text}\n${`${ran.stdout}${ran.stderr}`.slice(-4_000)}`)
      writeFileSync(stepsFile, done.join('\n'))
    }
  }
  return root
}

if (process.geteuid?.() !== 0) throw new Error('chroot and mounts need root')
mkdirSync(HOME, { recursive: true })
try {
  const stages = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))
  const built = new Map<string, string>()
  for (const stage of stages) built.set(stage.name, await build(stage, built))
  const last = stages.at(-1) as Stage
  await checkImage({
    root: built.get(last.name) as string,
    env: variablesOf(last.instructions),
    user: lastOf(last, 'USER') ?? '',
    workdir: lastOf(last, 'WORKDIR') ?? '/',
    command: [...JSON.parse(lastOf(last, 'ENTRYPOINT') ?? '[]'), ...JSON.parse(lastOf(last, 'CMD') ?? '[]')],
    healthCheck: JSON.parse(/CMD (\[.*\])/.exec(lastOf(last, 'HEALTHCHECK') ?? '')?.[1] ?? '[]'),
    mounts,
    say,
  })
  say('passed')
} finally {
  await mounts.removeAll()
  if (process.env.IMAGE_RESUME !== '1')
    for (const name of ['stage-build', 'stage-1']) rmSync(join(HOME, name), { recursive: true, force: true })
}

/** A client that openapi-typescript generates from /openapi.json can do the work of an organization's program. */
import { afterAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const CLIENT = join(import.meta.dir, '../../../packages/openapi-client')

const instance = await sharedInstance()
const home = mkdtempSync(join(tmpdir(), 'groundwave-client-'))
afterAll(async () => {
  rmSync(home, { recursive: true, force: true })
})

async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: home, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(' ')} (status ${code}):\n${stdout}${stderr}`)
  return stdout
}

test('it compiles without a cast and creates an enterprise, a sensor, a layer, a Tool API and a zone rule', async () => {
  writeFileSync(join(home, 'openapi.json'), await (await fetch(`${instance.url()}/openapi.json`)).text())
  await run(
    process.execPath,
    join(CLIENT, 'node_modules/openapi-typescript/bin/cli.js'),
    'openapi.json',
    '-o',
    'api.d.ts',
  )
  cpSync(join(CLIENT, 'client.ts'), join(home, 'client.ts'))
  const modules = join(import.meta.dir, '../../../node_modules')
  const compilerOptions = {
    target: 'ESNext',
    module: 'ESNext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    typeRoots: [join(modules, '@types')],
    types: ['bun'],
    paths: { '#api': ['./api.d.ts'], '*': [join(modules, '*')] },
  }
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }))
  await run(process.execPath, join(modules, 'typescript/bin/tsc'), '-p', '.')
  const made = JSON.parse(await run(process.execPath, 'client.ts', instance.url(), instance.operatorToken()))
  expect(made).toMatchObject({
    enterprise: { name: 'Client', tier: 'business', status: 'active' },
    lastFour: expect.stringMatching(/^.{4}$/),
    sensor: { assetName: 'Pump', key: expect.stringMatching(/^svcsn_/), channels: [{ name: 'level', unit: 'm' }] },
    batch: { accepted: [expect.any(String)], duplicates: [], refused: [] },
    layer: { name: 'Zones', featureCount: 1, fields: ['zone'] },
    toolApi: { tool: 'vector.inside-check', key: expect.stringMatching(/^svcapi_/) },
    rule: { when: 'enter', layerId: made.layer.id, sensorIds: [made.sensor.id], enabled: true },
    sensors: [{ id: made.sensor.id, assetName: 'Pump' }],
    audit: [{ action: 'create', subjectKind: 'sensor' }],
  })
  expect(JSON.stringify(made.checked)).toContain('inside')
}, 120_000)

/** Tools read stored files by their keys as they read sent files. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isFileField, takesForm } from '../../../src/tools/check.ts'
import { loadRegistry } from '../../../src/tools/registry.ts'
import { killRandom } from '../../support/random.ts'
import { isLong, someOf } from '../../support/rounds.ts'
import { createInstance, type Envelope, type Instance } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type OwnerFile, toolApisOf } from '../../support/server/tool-apis.ts'
import { callAs, memberAccount, personAccount } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'
import { FIXTURES, fetchFile, formOf, GIS, gisOf, keysOf } from '../../support/workers/tools.ts'

const { tools } = await loadRegistry()
/** The neural network takes longer than all other tools together. */
const SLOW = 'image.remove-background'
const withFiles = someOf(
  tools.filter((tool) => takesForm(tool) && (isLong || tool.id !== SLOW)),
  24,
  killRandom('given-inputs')('tools'),
)
const TARGET = { target_format: 'geojson' }
const { call, read, get } = gisOf(
  () => instance,
  () => organization,
)
const { upload } = toolApisOf(() => instance)
type Run = { inputs: { field: string; key: string; storageKey?: string; filename: string; bytes: number }[] }

const instance = await sharedInstance()
const organization = await instance.organization('scale')

const digest = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
const runOf = async (id: string): Promise<Run> => (await read<Run>(`/runs/${id}`)).data
const storedFiles = (): number =>
  readdirSync(join(instance.dir, 'files'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length
/** A stored file with the content of a fixture. */
async function keep(name: string, who = organization): Promise<string> {
  const { envelope } = await call('/validate', { file: name, ...TARGET }, true, who)
  return (envelope.data as { inputKey: string }).inputKey
}
const fault = ({ code, errors = [] }: Envelope) => [code, errors[0]?.field, errors[0]?.rule]
/** Fields that differ between two calls of a tool. */
const OWN = ['usage', 'key', 'artifactId', 'previewKey', 'inputKey', 'inputKeys']
const comparable = (data: object): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !OWN.includes(name)))

describe.each(withFiles.map((tool) => [tool.id, tool] as const))('%s', (_, tool) => {
  test('gives the same result for keys as for the bytes, which it leaves as they are', async () => {
    const { input } = tool.examples[0] as (typeof tool.examples)[number]
    const sent = await call(tool.route, input, true)
    if (sent.envelope.code === 'TOOL_UNAVAILABLE') return
    expect(sent.envelope.message).toBe('Done.')
    const data = sent.envelope.data as { key?: string; inputKey: string; usage: { runId: string; inputBytes: number } }
    const { inputs } = await runOf(data.usage.runId)
    const before = await Promise.all(
      inputs.map(async ({ key }) => digest(await fetchFile(instance, organization, key))),
    )
    const byKey: Record<string, unknown> = { ...input }
    for (const [field, schema] of Object.entries(tool.input.properties)) {
      const keys = inputs.filter((file) => file.field === field).map(({ key }) => key)
      if (isFileField(schema) && keys.length > 0) byKey[field] = Array.isArray(input[field]) ? keys : keys[0]
    }
    const again = await call(tool.route, byKey, true)
    expect([again.envelope.code, again.envelope.message]).toEqual(['SUCCESS', 'Done.'])
    const second = again.envelope.data as typeof data
    expect(comparable(second)).toEqual(comparable(data))
    expect(second.inputKey).toBe(data.inputKey)
    expect(second.usage).toMatchObject({ inputBytes: data.usage.inputBytes })
    expect((await runOf(second.usage.runId)).inputs).toEqual(inputs)
    if (data.key !== undefined && second.key !== undefined) {
      const [one, two] = await Promise.all([data.key, second.key].map((key) => fetchFile(instance, organization, key)))
      // PDF and Office files contain the time and an id
      expect(Math.abs((one?.length ?? 0) - (two?.length ?? 0))).toBeLessThan(64)
    }
    expect(
      await Promise.all(inputs.map(async ({ key }) => digest(await fetchFile(instance, organization, key)))),
    ).toEqual(before)
    // a neural network on a busy machine takes minutes
  }, 600_000)
})

test('files and keys may be mixed and keep their order; nothing is stored twice', async () => {
  const [zones, districts] = [await keep('zones.geojson'), await keep('districts.geojson')]
  const before = storedFiles()
  const { envelope } = await call('/merge', { files: [zones, 'plots.geojson', districts, zones], ...TARGET }, true)
  const { inputKeys, usage } = envelope.data as { inputKeys: string[]; usage: { runId: string } }
  expect([inputKeys[0], inputKeys[2], inputKeys[3]]).toEqual([zones, districts, zones])
  const { inputs } = await runOf(usage.runId)
  expect(inputs.map(({ key, filename }) => [key, filename])).toEqual([
    [zones, 'zones.geojson'],
    [inputKeys[1] as string, 'plots.geojson'],
    [districts, 'districts.geojson'],
    [zones, 'zones.geojson'],
  ])
  // the sent file, and the result
  expect(storedFiles()).toBe(before + 2)
  const sent = await call(
    '/merge',
    { files: ['zones.geojson', 'plots.geojson', 'districts.geojson', 'zones.geojson'], ...TARGET },
    true,
  )
  const key = (sent.envelope.data as { key: string }).key
  expect(digest(await fetchFile(instance, organization, (envelope.data as { key: string }).key))).toBe(
    digest(await fetchFile(instance, organization, key)),
  )
})

test('a run that stores nothing records its inputs too, and costs no storage', async () => {
  const [key, reference] = [await keep('stations.geojson'), await keep('zones.geojson')]
  const before = storedFiles()
  const { envelope } = await call('/inside-check', { file: key, reference }, true)
  const { inputKey, usage } = envelope.data as { inputKey: string; usage: { runId: string } }
  expect(inputKey).toBe(key)
  expect(storedFiles()).toBe(before)
  const { inputs } = await runOf(usage.runId)
  expect(inputs).toMatchObject([
    { field: 'file', key, filename: 'stations.geojson' },
    { field: 'reference', key: reference, filename: 'zones.geojson' },
  ])
  for (const input of inputs) expect(input).not.toHaveProperty('storageKey')
  // a failed run records its input
  const failed = await call('/raster-inspect', { file: key }, true)
  expect(failed.envelope.code).toBe('INPUT_UNREADABLE')
  const { items } = (await read<{ items: { runId: string; code: string }[] }>('/runs?limit=1')).data
  expect(items[0]?.code).toBe('INPUT_UNREADABLE')
  expect((await runOf(items[0]?.runId ?? '')).inputs).toMatchObject([{ key }])
})

test('unknown keys and keys of other owners get the same answer', async () => {
  const other = await instance.organization()
  const foreign = await keep('stations.geojson', other)
  const deleted = await keep('stations.geojson')
  await fetch(`${instance.url()}${GIS}/files/${deleted}`, { method: 'DELETE', headers: keysOf(organization) })
  const unknown = `fil_${'0'.repeat(32)}`
  const answers = await Promise.all(
    [foreign, deleted, unknown].map(async (file) => (await call('/validate', { file, ...TARGET }, true)).envelope),
  )
  for (const answer of answers) expect(fault(answer)).toEqual(['VALIDATION_FAILED', 'file', 'exists'])
  expect(new Set(answers.map(({ errors, message }) => JSON.stringify([errors, message]))).size).toBe(1)
  for (const file of [`fil_${'0'.repeat(31)}`, `fil_${'G'.repeat(32)}`, 'fil_', `fil_../../${'0'.repeat(26)}`])
    expect(fault((await call('/validate', { file, ...TARGET }, true)).envelope)).toEqual([
      'VALIDATION_FAILED',
      'file',
      'file',
    ])
  const form = formOf(TARGET)
  form.append('file', 'operator.token')
  const send = async (body: FormData): Promise<Envelope> =>
    (await (
      await fetch(`${instance.url()}${GIS}/validate`, { method: 'POST', headers: keysOf(organization), body })
    ).json()) as Envelope
  expect(fault(await send(form))).toEqual(['VALIDATION_FAILED', 'file', 'file'])
  const empty = formOf(TARGET)
  empty.append('file', '')
  expect(fault(await send(empty)).slice(0, 2)).toEqual(['VALIDATION_FAILED', 'file'])
  const twice = formOf({ file: 'stations.geojson', ...TARGET })
  twice.append('file', await keep('stations.geojson'))
  expect(fault(await send(twice))).toEqual(['VALIDATION_FAILED', 'file', 'once'])
  const mask = await call('/clip', { file: 'stations.geojson', mask: unknown, ...TARGET }, true)
  expect(fault(mask.envelope)).toEqual(['VALIDATION_FAILED', 'mask', 'exists'])
})

test('members see files of their own runs, admins see all; people use their own files', async () => {
  const [anna, ben, admin] = [
    await memberAccount(instance, organization.id, 'member'),
    await memberAccount(instance, organization.id, 'member'),
    await memberAccount(instance, organization.id, 'admin'),
  ]
  const validate = (who: typeof anna, file: string, enterprise?: string) =>
    callAs<{ inputKey: string }>(instance.url(), who, 'POST', `${GIS}/validate`, {
      enterprise,
      body: formOf({ file, ...TARGET }),
    })
  const { inputKey } = (await validate(anna, 'stations.geojson', organization.id)).data
  expect((await validate(anna, inputKey, organization.id)).code).toBe('SUCCESS')
  expect(fault(await validate(ben, inputKey, organization.id))).toEqual(['VALIDATION_FAILED', 'file', 'exists'])
  expect((await validate(admin, inputKey, organization.id)).code).toBe('SUCCESS')
  const person = await personAccount(instance)
  const own = (await validate(person, 'stations.geojson')).data.inputKey
  expect((await validate(person, own)).code).toBe('SUCCESS')
  expect(fault(await validate(person, inputKey))).toEqual(['VALIDATION_FAILED', 'file', 'exists'])
  expect(fault(await validate(admin, own, organization.id))).toEqual(['VALIDATION_FAILED', 'file', 'exists'])
})

test("an owner's file stands for its newest clean version, and its versions have keys too", async () => {
  const fixture = (name: string): Buffer => readFileSync(join(FIXTURES, name))
  const path = `/owners/${organization.id}/files`
  const first = (await upload(path, 'stations.geojson', fixture('stations.geojson'))).data as OwnerFile
  const { id } = first
  const featureCount = async (file: string) => {
    const { envelope } = await call('/buffer', { file, ...TARGET }, true)
    const { key, inputKey, usage } = envelope.data as { key: string; inputKey: string; usage: { runId: string } }
    expect(inputKey).toBe(file)
    const { features } = JSON.parse((await fetchFile(instance, organization, key)).toString()) as {
      features: unknown[]
    }
    return { features: features.length, inputs: (await runOf(usage.runId)).inputs }
  }
  expect((await featureCount(id)).features).toBe(5)
  await upload(`${path}/${id}/versions`, 'zones.geojson', fixture('zones.geojson'))
  const { items } = await instance.manage<{ items: { id: string; version: number }[] }>('GET', `${path}/${id}/versions`)
  const [newest, oldest] = items
  const zones = (JSON.parse(fixture('zones.geojson').toString()) as { features: unknown[] }).features.length
  expect(await featureCount(id)).toEqual({
    features: zones,
    inputs: [expect.objectContaining({ key: id, storageKey: newest?.id, filename: 'zones.geojson' })],
  })
  expect((await featureCount(oldest?.id ?? '')).features).toBe(5)
  // the newest version is not clean any more
  const decide = (scanStatus: string, version = 2) =>
    instance.manage('PATCH', `${path}/${id}/versions/${version}`, { scanStatus })
  await decide('infected')
  expect((await featureCount(id)).features).toBe(5)
  expect(fault((await call('/validate', { file: newest?.id ?? '', ...TARGET }, true)).envelope)).toEqual([
    'VALIDATION_FAILED',
    'file',
    'scanStatus',
  ])
  await decide('failed', 1)
  expect(fault((await call('/validate', { file: id, ...TARGET }, true)).envelope)).toEqual([
    'VALIDATION_FAILED',
    'file',
    'scanStatus',
  ])
  await decide('pending')
  const waiting = await call('/validate', { file: newest?.id ?? '', ...TARGET }, true)
  expect(fault(waiting.envelope)).toEqual(['CONFLICT', 'file', 'scanStatus'])
  expect(waiting.response.headers.get('retry-after')).toBe('5')
})

test('a key of a file is part of the request that an Idempotency-Key identifies', async () => {
  const [key, other] = [await keep('stations.geojson'), await keep('stations.geojson')]
  const headers = { 'idempotency-key': 'with-a-key' }
  const first = await call('/buffer', { file: key, ...TARGET }, true, organization, headers)
  const again = await call('/buffer', { file: key, ...TARGET }, true, organization, headers)
  expect(again.response.headers.get('idempotency-replayed')).toBe('true')
  expect(again.envelope).toEqual(first.envelope)
  // the same bytes under another key are another request
  const reused = await call('/buffer', { file: other, ...TARGET }, true, organization, headers)
  expect(reused.envelope.code).toBe('IDEMPOTENCY_KEY_REUSED')
})

describe('with small limits', () => {
  let small: Instance
  beforeAll(async () => {
    small = await createInstance({ FILES_PER_HOUR: '4', VECTOR_FILE_MB: '1', JOB_SLOTS: '0', STORED_DAYS: '1' })
  }, 120_000)
  afterAll(() => small.remove())
  const at = gisOf(
    () => small,
    () => organization,
  )

  test('a stored file over the limit of a tool is refused, and keys count in the window of files', async () => {
    const own = await small.organization()
    // the limit of rasters is larger than the limit of vector files
    const big = {
      name: 'big.tif',
      content: Buffer.concat([readFileSync(join(FIXTURES, 'dem.tif')), Buffer.alloc(2 ** 20)]),
    }
    const made = await at.call('/raster-inspect', { file: big }, true, own)
    const { inputKey } = made.envelope.data as { inputKey: string }
    const refused = await at.call('/validate', { file: inputKey, ...TARGET }, true, own)
    expect([refused.response.status, ...fault(refused.envelope)]).toEqual([413, 'FILE_TOO_LARGE', 'file', 'maxBytes'])
    const codes: string[] = []
    for (let i = 0; i < 4; i++)
      codes.push((await at.call('/raster-inspect', { file: inputKey }, true, own)).envelope.code)
    expect(codes).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS', 'FILE_WINDOW_EXCEEDED'])
  })

  test('a file stays until the job that reads it has ended, and its key is in the record', async () => {
    const own = await small.organization()
    const { inputKey } = (await at.call('/validate', { file: 'stations.geojson', ...TARGET }, true, own)).envelope
      .data as {
      inputKey: string
    }
    const onDisk = join(small.dir, 'files', inputKey.slice(-2), inputKey)
    const accepted = await at.call('/buffer', { file: inputKey, ...TARGET }, true, own, { prefer: 'respond-async' })
    const { jobID } = accepted.envelope.data as { jobID: string }
    const remove = async () =>
      (
        (await (
          await fetch(`${small.url()}${GIS}/files/${inputKey}`, { method: 'DELETE', headers: keysOf(own) })
        ).json()) as Envelope
      ).code
    expect(await remove()).toBe('CONFLICT')
    // the job runs after a restart, which also deletes expired files
    await small.kill('SIGKILL')
    await small.restart({ JOB_SLOTS: '1' })
    expect(existsSync(onDisk)).toBe(true)
    type Job = { status: string; runId?: string }
    await until(async () => (await at.read<Job>(`/jobs/${jobID}`, own)).data.status === 'successful', 'the job')
    const results = await at.read<{ inputKey: string; usage: { runId: string } }>(`/jobs/${jobID}/results`, own)
    expect(results.data.inputKey).toBe(inputKey)
    expect((await at.read<Run>(`/runs/${results.data.usage.runId}`, own)).data.inputs).toMatchObject([
      { field: 'file', key: inputKey, filename: 'stations.geojson' },
    ])
    expect(statSync(onDisk).nlink).toBe(1)
    expect(await remove()).toBe('SUCCESS')
    expect(existsSync(onDisk)).toBe(false)
  }, 60_000)
})

test('the descriptions say that a key may stand for a file', async () => {
  const document = (await (await fetch(`${instance.url()}${GIS}/openapi.json`)).json()) as {
    paths: Record<string, { post: { requestBody: { content: Record<string, { schema: { properties: Schemas } }> } } }>
    components: { schemas: Record<string, { pattern?: string }> }
  }
  type Schemas = Record<string, { anyOf?: object[]; items?: { anyOf?: object[] } }>
  const properties = (route: string): Schemas =>
    document.paths[GIS + route]?.post.requestBody.content['multipart/form-data']?.schema.properties ?? {}
  const either = [
    { type: 'string', contentEncoding: 'binary', contentMediaType: 'application/geo+json' },
    { $ref: '#/components/schemas/StoredKey' },
    { $ref: '#/components/schemas/LayerId' },
  ]
  expect(properties('/clip').file?.anyOf).toEqual(either)
  expect(properties('/clip').mask?.anyOf).toEqual(either)
  expect(properties('/merge').files?.items?.anyOf).toEqual(either)
  const key = await keep('stations.geojson')
  expect(key).toMatch(new RegExp(document.components.schemas.StoredKey?.pattern ?? '^$'))
  const described = (await (await get('/processes/vector.clip')).json()) as { inputs: Record<string, object> }
  expect(described.inputs.mask).toMatchObject({ 'x-svc-storedKey': '^fil_[0-9a-f]{32}$' })
  expect(described.inputs.target_format).not.toHaveProperty('x-svc-storedKey')
})

test('the id of a layer stands for its newest version, and the run keeps what it read', async () => {
  const owner = `/owners/${organization.id}`
  const stations = JSON.parse(readFileSync(join(FIXTURES, 'stations.geojson'), 'utf8')) as {
    features: { id?: unknown }[]
  }
  const layer = await instance.manage<{ id: string }>('POST', `${owner}/layers`, {
    name: 'Pump stations',
    geojson: stations,
  })
  const merged = (await call('/merge', { files: ['zones.geojson', layer.id], ...TARGET }, true)).envelope
  expect([merged.code, merged.message]).toEqual(['SUCCESS', 'Done.'])
  const { inputKeys, usage } = merged.data as { inputKeys: string[]; usage: { runId: string } }
  expect((await runOf(usage.runId)).inputs[1]).toMatchObject({ key: inputKeys[1], filename: 'Pump stations.geojson' })
  const kept = JSON.parse(new TextDecoder().decode(await fetchFile(instance, organization, inputKeys[1] as string)))
  type Collection = { features: { properties: object; geometry: object }[] }
  const content = ({ features }: Collection) => features.map(({ properties, geometry }) => ({ properties, geometry }))
  expect(content(kept)).toEqual(content(stations as unknown as Collection))

  // a later version is read by the next call, also by a job
  await instance.manage('PUT', `${owner}/layers/${layer.id}/features`, {
    ...stations,
    features: stations.features.slice(0, 2),
  })
  const form = formOf({ file: layer.id, ...TARGET })
  const accepted = await fetch(`${instance.url()}${GIS}/centroids`, {
    method: 'POST',
    headers: { ...keysOf(organization), prefer: 'respond-async' },
    body: form,
  })
  expect(accepted.status).toBe(202)
  const { data } = (await accepted.json()) as { data: { jobID: string } }
  await until(
    async () => (await read<{ status: string }>(`/jobs/${data.jobID}`)).data.status === 'successful',
    'the job',
  )
  expect((await read<{ featureCount: number }>(`/jobs/${data.jobID}/results`)).data.featureCount).toBe(2)

  const other = await instance.organization()
  const refusals = [
    call('/validate', { file: layer.id, ...TARGET }, true, other),
    call('/validate', { file: `lay_${'0'.repeat(32)}`, ...TARGET }, true),
  ]
  for (const { envelope } of await Promise.all(refusals))
    expect(fault(envelope)).toEqual(['VALIDATION_FAILED', 'file', 'exists'])
  expect(fault((await call('/raster-inspect', { file: layer.id }, true)).envelope)).toEqual([
    'VALIDATION_FAILED',
    'file',
    'file',
  ])
})

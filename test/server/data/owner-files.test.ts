/** Files of owners over HTTP: versions and scans, with the built-in checks and with a real clamd. */
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClamd } from '../../../src/stores/clamd.ts'
import { startClamd } from '../../support/clamd.ts'
import { handMade, plainPdf } from '../../support/formats/pdfs.ts'
import { outputOf } from '../../support/program.ts'
import { createInstance } from '../../support/server/instance.ts'
import { type OwnerFile, toolApisOf } from '../../support/server/tool-apis.ts'
import { FIXTURES } from '../../support/workers/tools.ts'

const WORD = 'groundwave-test-signature'
const { upload, call } = toolApisOf(() => instance)
const fixture = (name: string): Buffer => readFileSync(join(FIXTURES, name))
const keep = async (name: string, content: string | Uint8Array) =>
  (await upload(`/owners/${owner}/files`, name, content)).data

const home = mkdtempSync(join(tmpdir(), 'groundwave-files-'))
const clamd = await startClamd('Groundwave.Test', WORD)
const instance = await createInstance({ CLAMD_URL: clamd.url })
const owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'scale' })).id
afterAll(async () => {
  await instance.remove()
  await clamd.remove()
  rmSync(home, { recursive: true, force: true })
})

/** A ZIP archive written by Info-ZIP. */
function zipped(files: Record<string, string | Uint8Array>, ...options: string[]): Buffer {
  const dir = mkdtempSync(join(home, 'zip-'))
  for (const [name, content] of Object.entries(files)) {
    outputOf('mkdir', ['-p', join(dir, name, '..')])
    writeFileSync(join(dir, name), content)
  }
  outputOf('zip', ['-q', '-r', ...options, 'out.zip', '.'], { cwd: dir })
  return readFileSync(join(dir, 'out.zip'))
}
const EICAR = `X5O!P%@AP[4\\PZX54(P^)7CC)7}$${'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`
const OLE = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
const zeros = (megabytes: number): Buffer => Buffer.alloc(megabytes * 2 ** 20)
const scripted = handMade([
  '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>',
  '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] >>',
])

describe('a scan', () => {
  const clean: [string, () => string | Uint8Array | Promise<string | Uint8Array>, string][] = [
    ['zones.geojson', () => fixture('zones.geojson'), 'vector'],
    ['dem.tif', () => fixture('dem.tif'), 'raster'],
    ['table.csv', () => 'a,b\n1,2\n', 'table'],
    ['plain.pdf', () => plainPdf(['one', 'two']).content, 'document'],
    ['layer.zip', () => zipped({ 'zones.geojson': fixture('zones.geojson'), 'readme.txt': 'hello' }), 'vector'],
    [
      'letter.docx',
      () => zipped({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<w:document/>' }),
      'document',
    ],
    ['old.doc', () => OLE, 'document'],
  ]
  test.each(clean)('finds %s clean', async (name, content, kind) => {
    const bytes = Buffer.from((await content()) as Uint8Array)
    const file = await keep(name, bytes)
    expect(file).toMatchObject({ version: 1, scanStatus: 'clean', scanReason: null, kind })
    const got = await fetch(`${instance.url()}/manage/v1/owners/${owner}/files/${file.id}/versions/1/content`, {
      headers: { authorization: `Bearer ${instance.operatorToken()}` },
    })
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true)
    expect(got.headers.get('content-disposition')).toContain(name)
  })

  const bad: [string, string, () => string | Uint8Array, string, RegExp][] = [
    ['a test virus', 'a.csv', () => EICAR, 'infected', /^signature: .*EICAR/],
    ['one in an archive', 'a.zip', () => zipped({ 'b/c.csv': EICAR }), 'infected', /^signature/],
    [
      'one in an archive in an archive',
      'a.zip',
      () => zipped({ 'in.zip': zipped({ 'x.txt': EICAR }) }),
      'infected',
      /^signature/,
    ],
    [
      'a picture that is a program',
      'a.png',
      () => Buffer.from('\x7fELF\x02\x01\x01', 'latin1'),
      'infected',
      /^type: .*png.*program/,
    ],
    ['a table that is a PDF', 'a.csv', () => '%PDF-1.7\n%', 'infected', /^type: .*text.*pdf/],
    [
      'a program in an archive',
      'a.zip',
      () => zipped({ 'setup.exe': Buffer.concat([Buffer.from('MZ'), zeros(1)]) }),
      'infected',
      /^program/,
    ],
    [
      'macros',
      'a.docx',
      () => zipped({ 'word/document.xml': '<x/>', 'word/vbaProject.bin': OLE }),
      'infected',
      /^macro/,
    ],
    [
      'macros in OpenDocument',
      'a.odt',
      () => zipped({ 'content.xml': '<x/>', 'Basic/Standard/Module1.xml': '<x/>' }),
      'infected',
      /^macro/,
    ],
    [
      'macros in an old Office file',
      'a.xls',
      () => Buffer.concat([OLE, Buffer.from('_VBA_PROJECT', 'utf16le')]),
      'infected',
      /^macro/,
    ],
    ['a script in a PDF', 'a.pdf', () => scripted.content, 'infected', /^script/],
    [
      'a script in KML',
      'a.kml',
      () => '<kml><description><![CDATA[<script>x()</script>]]></description></kml>',
      'infected',
      /^script/,
    ],
    ['entities', 'a.gml', () => '<!DOCTYPE x [<!ENTITY a "b">]><gml/>', 'infected', /^script/],
    ['a bomb', 'a.zip', () => zipped({ 'zeros.csv': zeros(64) }), 'infected', /^archive-bomb/],
    [
      'archives in archives',
      'a.zip',
      () => [1, 2, 3, 4].reduce((inner) => zipped({ 'in.zip': inner }), zipped({ a: 'b' })),
      'infected',
      /^archive-bomb/,
    ],
    ['a locked archive', 'a.zip', () => zipped({ 'a.txt': 'secret' }, '-P', 'pw'), 'failed', /^encrypted/],
    ['a broken archive', 'a.zip', () => zipped({ 'a.txt': 'hello' }).subarray(0, 60), 'failed', /^unreadable/],
    ['a ClamAV signature', 'a.csv', () => `a,b\n${WORD},1\n`, 'infected', /^clamav: Groundwave.Test/],
    [
      'a ClamAV signature in an archive',
      'a.zip',
      () => zipped({ 'a.txt': `--${WORD}--` }),
      'infected',
      /^clamav: Groundwave.Test/,
    ],
  ]
  test.each(bad)('reports %s', async (_what, name, content, scanStatus, reason) => {
    const file = await keep(name, content())
    expect(file).toMatchObject({ scanStatus, scanReason: expect.stringMatching(reason) })
    expect(await call('GET', `/owners/${owner}/files/${file.id}/versions/1/content`)).toMatchObject({ status: 409 })
  })

  test('rejects an archive with an entry outside its folder', async () => {
    const name = '../../etc/x'
    const archive = zipped({ aaaaaaaaaaa: 'x' })
    const evil = Buffer.from(archive.toString('latin1').replaceAll('aaaaaaaaaaa', name), 'latin1')
    const file = await keep('a.zip', evil)
    expect(file.scanStatus).not.toBe('clean')
  })
})

test('while ClamAV is down no file becomes clean, and waiting files are scanned after a restart', async () => {
  await clamd.kill()
  const file = await keep('a.csv', 'a,b\n')
  expect(file).toMatchObject({ scanStatus: 'failed', scanReason: expect.stringMatching(/^scanner: /) })
  expect((await fetch(`${instance.url()}/health/ready`)).status).toBe(503)
  await clamd.start()
  await instance.kill('SIGKILL')
  await instance.restart()
  for (const deadline = Date.now() + 60_000; ; await Bun.sleep(50)) {
    const now = await instance.manage<OwnerFile>('GET', `/owners/${owner}/files/${file.id}`)
    if (now.scanStatus === 'clean') break
    expect(Date.now()).toBeLessThan(deadline)
  }
}, 120_000)

test('ClamAV is also reachable over its Unix socket and reports the signature', async () => {
  const scanner = createClamd(clamd.socketUrl, 5_000)
  async function* pieces(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text)
  }
  await scanner.ping()
  expect(await scanner.scan(pieces('all ', '', 'is well'))).toBeUndefined()
  expect(await scanner.scan(pieces('x', WORD.slice(0, 9), WORD.slice(9)))).toBe('Groundwave.Test.UNOFFICIAL')
  await expect(createClamd('tcp://127.0.0.1:1', 2_000).ping()).rejects.toThrow()
})

test('versions, names and owners change, and invalid uploads are rejected', async () => {
  const files = `/owners/${owner}/files`
  const first = await keep('zones.geojson', fixture('zones.geojson'))
  expect(first.id).toMatch(/^fil_[0-9a-f]{32}$/)
  const second = await upload(
    `${files}/${first.id}/versions`,
    'zones2.geojson',
    '{"type":"FeatureCollection","features":[]}',
  )
  expect(second.data).toMatchObject({ id: first.id, version: 2, scanStatus: 'clean' })
  const both = await instance.manage<OwnerFile>('GET', `${files}/${first.id}`)
  expect(both.versions.map(({ version }) => version)).toEqual([2, 1])
  expect(await instance.manage('PATCH', `${files}/${first.id}`, { name: 'Zones' })).toMatchObject({ name: 'Zones' })
  expect(await instance.manage('GET', `${files}/${first.id}/versions/1`)).toMatchObject({ filename: 'zones.geojson' })
  const listed = await instance.manage<{ items: OwnerFile[] }>('GET', `${files}?limit=1000`)
  expect(listed.items.find(({ id }) => id === first.id)).toMatchObject({ version: 2, scanStatus: 'clean' })

  for (const name of ['a.exe', 'a.docm', 'a.html', 'a.svg', 'a', '.geojson.sh'])
    expect(await upload(files, name, 'x')).toMatchObject({
      statusCode: 415,
      code: 'MEDIA_TYPE_UNSUPPORTED',
      errors: [{ field: 'file', rule: 'extension' }],
    })
  expect(await upload(files, 'a.png', Buffer.alloc(26 * 2 ** 20))).toMatchObject({
    statusCode: 413,
    code: 'FILE_TOO_LARGE',
  })
  expect(await upload(files, 'empty.csv', '')).toMatchObject({ data: { scanStatus: 'failed' } })
  expect(await upload('/owners/ent_nobody/files', 'a.csv', 'x')).toMatchObject({ statusCode: 404 })
  expect(await upload(`${files}/fil_nothing/versions`, 'a.csv', 'x')).toMatchObject({ statusCode: 404 })
  const form = new FormData()
  form.append('other', 'x')
  const wrong = await fetch(`${instance.url()}/manage/v1${files}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
    body: form,
  })
  expect(await wrong.json()).toMatchObject({ statusCode: 422, errors: [{ field: 'other' }] })
  expect(await call('GET', `${files}/${first.id}/versions/x`)).toMatchObject({ status: 422 })
  expect(await call('PATCH', `${files}/${first.id}`, { scanStatus: 'fine' })).toMatchObject({ status: 422 })

  const other = await instance.manage<{ id: string }>('POST', '/people', { email: 'p@example.org', plan: 'pro' })
  await instance.manage('PATCH', `${files}/${first.id}`, { ownerId: other.id })
  expect(await call('GET', `${files}/${first.id}`)).toMatchObject({ status: 404 })
  await instance.manage('DELETE', `/owners/${other.id}/files/${first.id}/versions/2`)
  expect(await instance.manage('GET', `/owners/${other.id}/files/${first.id}`)).toMatchObject({ version: 1 })
  await instance.manage('DELETE', `/owners/${other.id}/files/${first.id}`)
  expect(await call('GET', `/owners/${other.id}/files/${first.id}`)).toMatchObject({ status: 404 })
})

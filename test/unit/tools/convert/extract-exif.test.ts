/** Photo locations, compared with the values that exiftool wrote into the photos. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { refusal, runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

test('returns position, altitude and time, and lists a photo without a position', async () => {
  const { data, geojson } = await runTool('convert.extract-exif', { files: ['geotagged.jpg', 'plain.jpg'] })
  expect(data).toMatchObject({ geotaggedCount: 1, totalCount: 2 })
  expect(data.images).toEqual([
    {
      filename: 'geotagged.jpg',
      hasGps: true,
      latitude: expect.closeTo(-33.8568, 6),
      longitude: expect.closeTo(151.2153, 6),
      // below sea level
      altitude: -12.5,
      timestamp: '2024-05-06T07:08:09+10:00',
      camera: null,
      orientation: null,
    },
    {
      filename: 'plain.jpg',
      hasGps: false,
      latitude: null,
      longitude: null,
      altitude: null,
      timestamp: null,
      camera: null,
      orientation: null,
    },
  ])
  expect(geojson().features).toHaveLength(1)
  expect(geojson() as unknown).toEqual(data.geojsonOutput)
})

/** A photo with metadata that libvips wrote. */
const photo = (exif: Record<string, Record<string, string>>, xmp?: string) => {
  const made = sharp({ create: { width: 16, height: 16, channels: 3, background: '#345' } }).withExif(exif as never)
  return xmp === undefined ? made : made.withXmp(xmp)
}
const GPS = {
  GPSLatitudeRef: 'N',
  GPSLatitude: '24/1 42/1 0/1',
  GPSLongitudeRef: 'E',
  GPSLongitude: '46/1 40/1 30/1',
  GPSAltitude: '6125/10',
}
const rowOf = async (name: string, content: Buffer) =>
  ((await runTool('convert.extract-exif', { files: [{ name, content }] })).data.images as object[])[0]

test('an altitude without a reference is above sea level; camera and orientation are in the rows', async () => {
  const exif = { IFD0: { Make: 'Canon', Model: 'Canon EOS R5' }, IFD3: GPS }
  expect(
    await rowOf(
      'a.jpg',
      await photo(exif)
        .withMetadata({ orientation: 6, exif } as never)
        .jpeg()
        .toBuffer(),
    ),
  ).toEqual({
    filename: 'a.jpg',
    hasGps: true,
    latitude: expect.closeTo(24.7, 6),
    longitude: expect.closeTo(46.675, 6),
    altitude: 612.5,
    timestamp: null,
    camera: 'Canon EOS R5',
    orientation: 6,
  })
})

test('a date that only XMP has', async () => {
  const xmp = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:DateCreated="2023-03-04T05:06:07+03:00"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
  const content = await photo({ IFD0: { Make: 'Pixel' } }, xmp)
    .jpeg()
    .toBuffer()
  expect(await rowOf('x.jpg', content)).toMatchObject({ timestamp: '2023-03-04T05:06:07+03:00', camera: 'Pixel' })
})

test('metadata of HEIC photos; image tools say why they cannot read them', async () => {
  const content = await photo({ IFD0: { Make: 'Apple', Model: 'iPhone 15' }, IFD3: GPS })
    .avif()
    .toBuffer()
  // the same container, with another codec for the pixels
  content.write('heic', 8, 'latin1')
  expect(await rowOf('a.heic', content)).toMatchObject({ hasGps: true, altitude: 612.5, camera: 'Apple iPhone 15' })
  expect(
    await refusal('image.convert-format', { file: { name: 'a.heic', content }, target_format: 'png' }),
  ).toMatchObject({ code: 'INPUT_UNREADABLE', rule: 'format', message: expect.stringContaining('HEIC') })
})

test('names a file that is not a JPEG; reads a truncated one as far as possible or rejects it', async () => {
  const png = { name: 'photo.jpg', content: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) }
  expect(await refusal('convert.extract-exif', { files: ['plain.jpg', png] })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'files.1',
    rule: 'jpeg',
  })
  const bytes = readFileSync(join(FIXTURES, 'geotagged.jpg'))
  for (let length = 4; length < 420; length += 13)
    try {
      await runTool('convert.extract-exif', { files: [{ name: 'cut.jpg', content: bytes.subarray(0, length) }] })
    } catch (error) {
      expect(error).toMatchObject({ code: 'INPUT_UNREADABLE' })
    }
})

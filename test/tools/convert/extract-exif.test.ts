/** Photo locations, compared with what exiftool wrote into the photos. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { refusal, runTool } from '../../support/engine.ts'
import { FIXTURES } from '../../support/tools.ts'

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
    },
    { filename: 'plain.jpg', hasGps: false, latitude: null, longitude: null, altitude: null, timestamp: null },
  ])
  expect(geojson().features).toHaveLength(1)
  expect(geojson() as unknown).toEqual(data.geojsonOutput)
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

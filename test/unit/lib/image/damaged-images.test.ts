/** Damaged images: converted to any format, or rejected as unreadable. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { convert } from '../../../../src/lib/image/convert.ts'
import { IMAGE_FORMATS } from '../../../../src/lib/image/formats.ts'
import { decoding, openImage } from '../../../../src/lib/image/image.ts'
import { magick } from '../../../support/formats/images.ts'
import { mutated, runs, succeedsOrRejects } from '../../../support/fuzz.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-damaged-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const logo = join(FIXTURES, 'logo.png')
const FILES = [
  readFileSync(join(FIXTURES, 'geotagged.jpg')),
  ...['png', 'gif', 'webp', 'tiff', 'bmp'].map((format) => magick(logo, '-resize', '60x60', `${format}:-`)),
  magick(logo, '-resize', '60x60', '-colors', 8, 'png8:-'),
]

test('converts any damaged format into any other', async () => {
  let [done, n] = [0, 0]
  await fc.assert(
    fc.asyncProperty(mutated(...FILES), fc.constantFrom(...IMAGE_FORMATS), async (bytes, format) => {
      // libvips remembers files by their names
      const [from, to] = [join(home, `${++n}.in`), join(home, `${n}.out`)]
      writeFileSync(from, bytes)
      await succeedsOrRejects(async () => {
        const image = await openImage(from, { maxPixels: 1e6 })
        const { write } = convert(image, format, false)
        const { width, height } = await decoding([image], () => write(to))
        expect([width, height]).toEqual([image.width, image.height])
        done++
      })
      rmSync(from)
      rmSync(to, { force: true })
    }),
    runs(400),
  )
  // otherwise all of them would be rejected on opening
  expect(done).toBeGreaterThan(20)
})

/** Merged images, compared pixel by pixel with ImageMagick's append and montage. */
import { expect, test } from 'bun:test'
import { difference, magick, picture, pngOfSize, rgba } from '../../../support/formats/images.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

const sized = (size: string, colours: string) =>
  picture('part.png', '-size', size, `gradient:${colours}`, '-depth', '8', 'PNG24:')
const parts = () => [sized('60x40', 'red-blue'), sized('30x80', 'green-white'), sized('50x20', 'black-yellow')]

test.each([
  ['vertical', '-append', { width: 60, height: 140 }],
  ['horizontal', '+append', { width: 140, height: 80 }],
] as const)('%s matches %s for different sizes', async (layout, append, size) => {
  const files = parts()
  const { path, data } = await runTool('image.merge-images', { files, layout })
  expect(data).toEqual({ ...size, fileCount: 3, format: 'png' })
  const expected = picture(
    'expected.png',
    ...files.map((part) => part.path),
    '-gravity',
    'center',
    '-background',
    'white',
    append,
    'PNG24:',
  )
  expect(difference(rgba(expected.path), rgba(path)).max).toBe(0)
})

test('a grid of five has three columns and two rows, with the last cell empty', async () => {
  const colours = ['red', 'green', 'blue', 'yellow', 'black']
  const files = colours.map((colour) => picture('part.png', '-size', '20x10', `xc:${colour}`, 'PNG24:'))
  const { path, data } = await runTool('image.merge-images', { files, layout: 'grid' })
  expect(data).toEqual({ width: 60, height: 20, fileCount: 5, format: 'png' })
  const [row1, row2] = [files.slice(0, 3), files.slice(3)].map((row) => row.map((part) => part.path))
  const expected = magick(
    '(',
    ...(row1 ?? []),
    '+append',
    ')',
    '(',
    ...(row2 ?? []),
    '-size',
    '20x10',
    'xc:white',
    '+append',
    ')',
    '-append',
    '-depth',
    '8',
    'rgba:-',
  )
  expect(difference({ data: expected }, rgba(path)).max).toBe(0)
})

test('transparency is kept, and gaps are transparent', async () => {
  const files = [picture('glass.png', '-size', '10x10', 'xc:rgba(255,0,0,0.4)', 'PNG32:'), sized('30x10', 'red-blue')]
  const { path } = await runTool('image.merge-images', { files })
  const { data, width } = rgba(path)
  expect([data[(5 * width + 1) * 4 + 3], data[(5 * width + 15) * 4 + 3], data[(15 * width + 1) * 4 + 3]]).toEqual([
    0, 102, 255,
  ])
})

test('JPEG photos give a JPEG, rotated by EXIF', async () => {
  const files = ['dull.jpg', 'dull.jpg', 'dull.jpg']
  const { data, filename } = await runTool('image.merge-images', { files, layout: 'horizontal' })
  expect({ data, filename }).toEqual({
    data: { width: 1353, height: 300, fileCount: 3, format: 'jpeg' },
    filename: 'dull_merged.jpg',
  })
})

test('grey photos, and a grey beside a coloured one, are joined as ImageMagick joins them', async () => {
  const grey = picture('grey.jpg', '-size', '60x40', 'gradient:black-white', '-colorspace', 'Gray')
  const red = picture('red.png', '-size', '60x40', 'xc:red', 'PNG24:')
  for (const files of [
    [grey, grey],
    [grey, red],
  ]) {
    const { path } = await runTool('image.merge-images', { files, layout: 'vertical' })
    const expected = picture(
      'expected.png',
      ...files.map((part) => part.path),
      '-append',
      '-colorspace',
      'sRGB',
      'PNG24:',
    )
    expect(difference(rgba(expected.path), rgba(path)).max).toBeLessThan(6)
  }
})

test('rejects one image, thirteen images, too large a result and a broken image', async () => {
  for (const count of [1, 13])
    expect(
      await refusal('image.merge-images', { files: Array.from({ length: count }, () => 'logo.png') }),
    ).toMatchObject({
      code: 'VALIDATION_FAILED',
      field: 'files',
      rule: 'items',
    })
  const large = picture('large.png', '-size', '8000x7000', 'xc:red')
  expect(await refusal('image.merge-images', { files: [large, large] })).toMatchObject({
    code: 'FILE_TOO_LARGE',
    field: 'files',
    rule: 'pixels',
  })
  expect(await refusal('image.merge-images', { files: ['logo.png', 'stations.geojson'] })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'files.1',
    rule: 'format',
  })
  expect(await refusal('image.merge-images', { files: ['logo.png', pngOfSize(40, 40)] })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'files',
    rule: 'truncated',
  })
})

/** Decoded pixels are complete while they are used, and take no memory afterwards. */
import { expect, test } from 'bun:test'
import sharp from 'sharp'
import { withPixels } from '../../../../src/lib/image/raw-pixels.ts'

const red = () => sharp({ create: { width: 500, height: 400, channels: 3, background: '#ff0000' } })

test('pixels are freed after the work, also when it fails', async () => {
  const seen: Buffer[] = []
  const sum = await withPixels(red(), async (data, { width, height, channels }) => {
    seen.push(data)
    expect(data.length).toBe(width * height * channels)
    return data.reduce((total, value) => total + value, 0)
  })
  expect(sum).toBe(500 * 400 * 255)
  const failing = withPixels(red(), async (data) => {
    seen.push(data)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(seen.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0])
})

/** Sizes of files as the portal writes them, in both languages. */
import { expect, test } from 'bun:test'
import { ar } from '../src/portal/text/ar.ts'
import { en } from '../src/portal/text/en.ts'
import { sizeOf } from '../src/portal/text/sizes.ts'

test('a size is in the largest unit of 1024 that it fills, with one decimal', () => {
  const shown = (bytes: number): [string, number] => {
    const { unit, count } = sizeOf(bytes)
    return [unit, count]
  }
  expect(shown(0)).toEqual(['bytes', 0])
  expect(shown(1023)).toEqual(['bytes', 1023])
  expect(shown(1024)).toEqual(['kibibytes', 1])
  // never "1,024 KiB"
  expect(shown(2 ** 20 - 1)).toEqual(['mebibytes', 1])
  expect(shown(1_000_000)).toEqual(['kibibytes', 976.6])
  // the limits of the server
  expect(shown(100 * 2 ** 20)).toEqual(['mebibytes', 100])
  expect(shown(512 * 2 ** 20)).toEqual(['mebibytes', 512])
  expect(shown(1.5 * 2 ** 30)).toEqual(['gibibytes', 1.5])
  expect(shown(5_000 * 2 ** 40)).toEqual(['tebibytes', 5_000])
})

test('every unit has a text in both languages', () => {
  for (const texts of [en, ar])
    for (const power of [0, 1, 2, 3, 4]) expect(texts.frame.sizes[sizeOf(1024 ** power).unit]).toBeTruthy()
})

import { expect, test } from 'bun:test'
import { withArabicCommas } from '../../../../src/lib/ocr/arabic-punctuation.ts'

test.each([
  ['الرياح, بينما', 'الرياح، بينما', 'a Latin comma after an Arabic letter'],
  ['السد» إذ', 'السد، إذ', 'a closing guillemet that nothing opens'],
  ['قال «نعم» وذهب', 'قال «نعم» وذهب', 'quoted words'],
  ['قال «نعم» وذهب» ثم', 'قال «نعم» وذهب، ثم', 'a comma after quoted words'],
  ['1,482 batches, sent', '1,482 batches, sent', 'English and numbers'],
  ['رقم 1,482', 'رقم 1,482', 'a number in Arabic text'],
])('%s', (read, restored) => {
  expect(withArabicCommas(read)).toBe(restored)
})

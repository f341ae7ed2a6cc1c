/** Encoders of PDF's filters, written as plainly as the format allows. */
import { deflateSync } from 'node:zlib'

function ascii85(bytes: Buffer): Buffer {
  let text = ''
  for (let i = 0; i < bytes.length; i += 4) {
    const count = Math.min(4, bytes.length - i)
    let value = 0
    for (let j = 0; j < 4; j++) value = value * 256 + (j < count ? (bytes[i + j] as number) : 0)
    let digits = ''
    for (let j = 0; j < 5; j++) {
      digits = String.fromCharCode(33 + (value % 85)) + digits
      value = Math.floor(value / 85)
    }
    text += count === 4 && digits === '!!!!!' ? 'z' : digits.slice(0, count + 1)
  }
  return Buffer.from(`${text}~>`, 'latin1')
}

/** Literal runs only. */
function runLength(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let i = 0; i < bytes.length; i += 128) {
    const part = bytes.subarray(i, i + 128)
    parts.push(Buffer.from([part.length - 1]), part)
  }
  return Buffer.concat([...parts, Buffer.from([128])])
}

/** Single bytes in codes of nine bits; the table is cleared before codes grow. */
function lzw(bytes: Buffer): Buffer {
  const codes: number[] = []
  for (const [i, byte] of bytes.entries()) {
    if (i % 250 === 0) codes.push(256)
    codes.push(byte)
  }
  codes.push(257)
  return packedCodes(codes.map((code) => [code, 9]))
}

/** @param codes with their number of bits, most significant bit first */
function packedCodes(codes: readonly (readonly [number, number])[]): Buffer {
  const out: number[] = []
  let [value, bits] = [0, 0]
  for (const [code, length] of codes) {
    value = value * 2 ** length + code
    bits += length
    while (bits >= 8) {
      bits -= 8
      out.push(Math.floor(value / 2 ** bits))
      value %= 2 ** bits
    }
  }
  if (bits > 0) out.push(value * 2 ** (8 - bits))
  return Buffer.from(out)
}

/** Zeros, as densely as LZW can: each code is one byte longer than the previous one, until the table is full. */
export function lzwOfZeros(cycles: number): { data: Buffer; bytes: number } {
  const cycle: [number, number][] = [
    [256, 9],
    [0, 9],
  ]
  let bytes = 1
  let next = 258
  for (let length = 2; next < 4_095; length++, next++) {
    cycle.push([next, next + 1 >= 2_048 ? 12 : next + 1 >= 1_024 ? 11 : next + 1 >= 512 ? 10 : 9])
    bytes += length
  }
  const codes: [number, number][] = Array.from({ length: cycles }, (_, i) =>
    i === 0 ? cycle : ([[256, 12], ...cycle.slice(1)] as [number, number][]),
  ).flat()
  return { data: packedCodes([...codes, [257, 12]]), bytes: bytes * cycles }
}

export const ENCODERS: Record<string, (bytes: Buffer) => Buffer> = {
  ASCII85Decode: ascii85,
  A85: ascii85,
  ASCIIHexDecode: (bytes) => Buffer.from(`${bytes.toString('hex')}>`),
  RunLengthDecode: runLength,
  LZWDecode: lzw,
  FlateDecode: (bytes) => deflateSync(bytes),
}

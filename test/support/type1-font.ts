/** Makes Type 1 font programs from charstrings that are written as text, as in Adobe Type 1 Font Format. */

const OPERATORS: Record<string, number[]> = {
  hstem: [1],
  vstem: [3],
  vmoveto: [4],
  rlineto: [5],
  hlineto: [6],
  vlineto: [7],
  rrcurveto: [8],
  closepath: [9],
  callsubr: [10],
  return: [11],
  hsbw: [13],
  endchar: [14],
  rmoveto: [21],
  hmoveto: [22],
  vhcurveto: [30],
  hvcurveto: [31],
  dotsection: [12, 0],
  hstem3: [12, 2],
  seac: [12, 6],
  sbw: [12, 7],
  div: [12, 12],
  callothersubr: [12, 16],
  pop: [12, 17],
  setcurrentpoint: [12, 33],
}

function charstring(text: string): Uint8Array {
  const bytes = text.split(/\s+/).flatMap((word) => {
    const value = Number(word)
    if (Number.isNaN(value)) return OPERATORS[word] as number[]
    if (Math.abs(value) <= 107) return [value + 139]
    const rest = Math.abs(value) - 108
    if (rest < 1_024) return [(value > 0 ? 247 : 251) + (rest >> 8), rest & 255]
    return [255, (value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]
  })
  return Uint8Array.from(bytes)
}

function encrypted(bytes: Uint8Array, key: number, randomBytes: number): Buffer {
  let state = key
  return Buffer.from(
    [...new Uint8Array(randomBytes), ...bytes].map((byte) => {
      const cipher = byte ^ (state >> 8)
      state = ((cipher + state) * 52_845 + 22_719) & 0xffff
      return cipher
    }),
  )
}

export type Type1Options = {
  glyphs: Record<string, string>
  subroutines?: string[]
  /** As PostScript. */
  encoding?: string
  matrix?: string
  lenIV?: number
  isHexadecimal?: boolean
  isPfb?: boolean
  /** Fills the font, as the other glyphs of a whole font do. */
  unused?: number
}

/** The usual subroutines: end of a flex, begin it, one of its points, and nothing. */
export const FLEX_SUBROUTINES = [
  '3 0 callothersubr pop pop setcurrentpoint return',
  '0 1 callothersubr return',
  '0 2 callothersubr return',
  'return',
]

export function type1Font(options: Type1Options): Buffer {
  const { glyphs, subroutines = [], encoding = 'StandardEncoding def', lenIV = 4, unused = 200 } = options
  const { matrix = '0.001 0 0 0.001 0 0', isHexadecimal = false, isPfb = false } = options
  const all: Record<string, string> = { '.notdef': '0 500 hsbw endchar', ...glyphs }
  for (let i = 0; i < unused; i++)
    all[`unused${i}`] =
      `0 500 hsbw ${Array.from({ length: 20 }, (_, k) => `${(37 * i + 11 * k) % 90} ${k} rlineto`).join(' ')} closepath endchar`
  const data = (text: string): Buffer =>
    lenIV < 0 ? Buffer.from(charstring(text)) : encrypted(charstring(text), 4_330, lenIV)
  const entry = (head: string, text: string, tail: string): Buffer => {
    const bytes = data(text)
    return Buffer.concat([Buffer.from(`${head} ${bytes.length} RD `), bytes, Buffer.from(` ${tail}\n`)])
  }
  const clear = Buffer.from(
    `%!PS-AdobeFont-1.0: Test\n12 dict begin\n/FontInfo 1 dict dup begin end readonly def\n/FontName /Test def\n/PaintType 0 def\n/FontType 1 def\n/FontMatrix [${matrix}] readonly def\n/Encoding ${encoding}\n/FontBBox {0 -200 1000 900} readonly def\ncurrentdict end\ncurrentfile eexec\n`,
  )
  const secret = Buffer.concat([
    Buffer.from(
      `dup /Private 9 dict dup begin\n/RD {string currentfile exch readstring pop} executeonly def\n/ND {noaccess def} executeonly def\n/NP {noaccess put} executeonly def\n/BlueValues [] def\n/password 5839 def\n/lenIV ${lenIV} def\n/Subrs ${subroutines.length} array\n`,
    ),
    ...subroutines.map((text, i) => entry(`dup ${i}`, text, 'NP')),
    Buffer.from(`ND\n2 index /CharStrings ${Object.keys(all).length} dict dup begin\n`),
    ...Object.entries(all).map(([name, text]) => entry(`/${name}`, text, 'ND')),
    Buffer.from(
      'end\nend\nreadonly put\nnoaccess put\ndup/FontName get exch definefont pop\nmark currentfile closefile\n',
    ),
  ])
  const cipher = encrypted(secret, 55_665, 4)
  const body = isHexadecimal ? Buffer.from(cipher.toString('hex').replace(/.{64}/g, '$&\n')) : cipher
  const trailer = Buffer.from(`${`${'0'.repeat(64)}\n`.repeat(8)}cleartomark\n`)
  if (!isPfb) return Buffer.concat([clear, body, trailer])
  const segment = (kind: number, bytes: Buffer): Buffer => {
    const head = Buffer.from([0x80, kind, 0, 0, 0, 0])
    head.writeUInt32LE(bytes.length, 2)
    return Buffer.concat([head, bytes])
  }
  return Buffer.concat([segment(1, clear), segment(2, body), segment(1, trailer), Buffer.from([0x80, 3])])
}

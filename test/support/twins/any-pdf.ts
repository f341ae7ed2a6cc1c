/** Random PDFs with many features of the format, written object by object. */
import { writeFileSync } from 'node:fs'
import { ENCODERS } from '../formats/filters.ts'
import { freshPath, handMade, qpdfMade, stream } from '../formats/pdfs.ts'
import { type Random, whole } from '../random.ts'

/** @property units points of a unit of each page */
export type AnyPdf = { name: string; path: string; content: Buffer; units: number[]; features: string[] }

/** Texts on hidden layers begin like this. */
export const HIDDEN = 'secret'

export function anyPdf(random: Random, name: string): AnyPdf {
  const some = <T>(list: readonly T[]): T => list[whole(random, list.length)] as T
  const objects: string[] = ['', '', '']
  const features: string[] = []
  const add = (object: string): string => `${objects.push(object)} 0 R`
  const put = (ref: string, object: string): void => {
    objects[Number.parseInt(ref, 10) - 1] = object
  }
  /** Whether the file has a feature. */
  const has = (feature: string, share = 0.3): boolean => {
    const chosen = random() < share
    if (chosen && !features.includes(feature)) features.push(feature)
    return chosen
  }
  const direct = (value: string): string => (has('indirect', 0.15) ? add(value) : value)

  function encoded(content: string, dict = ''): string {
    const chain = some([
      [],
      [],
      ['FlateDecode'],
      ['ASCII85Decode', 'FlateDecode'],
      ['LZWDecode'],
      ['RunLengthDecode'],
      ['ASCIIHexDecode'],
      ['A85'],
    ])
    const data = chain
      .toReversed()
      .reduce<Buffer>(
        (bytes, filter) => (ENCODERS[filter] as (bytes: Buffer) => Buffer)(bytes),
        Buffer.from(content, 'latin1'),
      )
    const filter =
      chain.length === 0
        ? ''
        : `/Filter ${chain.length === 1 ? `/${chain[0]}` : `[${chain.map((one) => `/${one}`).join(' ')}]`}`
    return add(stream(data.toString('latin1'), `${dict} ${filter}`))
  }
  const fonts = ['Helvetica', 'Times-Roman', 'Courier-Bold'].map((font) =>
    add(`<< /Type /Font /Subtype /Type1 /BaseFont /${font} /Encoding /WinAnsiEncoding >>`),
  )
  const fontDict = `/Font << ${fonts.map((ref, i) => `/F${i} ${ref}`).join(' ')} >>`
  const colour = (): string => [0, 0, 0].map(() => (whole(random, 11) / 10).toString()).join(' ')
  const pixels = Buffer.from(Array.from({ length: 48 }, () => whole(random, 256))).toString('latin1')
  const image = encoded(
    pixels,
    '/Type /XObject /Subtype /Image /Width 4 /Height 4 /BitsPerComponent 8 /ColorSpace /DeviceRGB',
  )
  const form = encoded(
    `q ${colour()} rg 0 0 40 20 re f Q BT /F1 9 Tf 4 6 Td (form) Tj ET`,
    `/Type /XObject /Subtype /Form /BBox [0 0 40 20] /Matrix [1 0 0 1 5 5] /Resources << ${fontDict} >>`,
  )
  const [seen, unseen] = ['Seen', 'Unseen'].map((title) => add(`<< /Type /OCG /Name (${title}) >>`))
  const resources = `<< ${fontDict} /XObject << /I ${image} /X ${form} >> /ExtGState << /G << /ca 0.5 >> >> /Properties << /S ${seen} /U ${unseen} >> /Shading << /H << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 50 50] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1 >> >> >> >>`

  const pageCount = 1 + whole(random, 4)
  const refs = Array.from({ length: pageCount }, () => add(''))
  const units: number[] = []
  const fields: string[] = []
  const isInherited = has('inherited')
  const hasLayers = has('layers')
  const names: string[] = []
  let hasButtons = false

  function pageOf(i: number): string {
    const unit = has('UserUnit', 0.15) ? some([2, 0.5, 72]) : 1
    units.push(unit)
    const [width, height] = [some([200, 300, 420.5]), some([200, 260])].map((side) => side / unit) as [number, number]
    const [x, y] = has('origin') ? [-50 / unit, 30 / unit] : [0, 0]
    const at = (left: number, bottom: number): string =>
      `${(x + left / unit).toFixed(4)} ${(y + bottom / unit).toFixed(4)}`
    const word = `${name}${i}${some(['north', 'south', 'east', 'west'])}`
    const shown = (text: string, bottom: number): string =>
      `BT /F${whole(random, 3)} 1 Tf ${12 / unit} 0 0 ${12 / unit} ${at(30, bottom)} Tm (${text}) Tj ET`
    const scaled = (left: number, bottom: number, content: string): string =>
      `q ${1 / unit} 0 0 ${1 / unit} ${at(left, bottom)} cm ${content} Q`
    const extras: [string, () => string][] = [
      ['rectangle', () => scaled(40, 40, `${colour()} rg 0 0 ${20 + whole(random, 60)} 30 re f`)],
      ['form', () => scaled(90, 80, '/X Do')],
      ['image', () => scaled(60, 60, '40 0 0 40 0 0 cm /I Do')],
      ['inline image', () => scaled(20, 60, '20 0 0 20 0 0 cm BI /W 2 /H 2 /BPC 8 /CS /G ID \x00\x80\xc0\x40 EI')],
      ['alpha', () => scaled(50, 50, `/G gs ${colour()} rg 0 0 50 50 re f`)],
      ['shading', () => scaled(100, 40, '0 0 50 50 re W n /H sh')],
      ['marked', () => `/P << /MCID 0 >> BDC ${shown('marked', 60)} EMC`],
      ['dashes', () => scaled(10, 10, `[4 2] 0 d 2 w ${colour()} RG 5 5 100 20 re S`)],
    ]
    const parts = [shown(word, 150), ...extras.flatMap(([feature, made]) => (has(feature) ? [made()] : []))]
    if (hasLayers) parts.push(`/OC /S BDC ${shown('shown', 120)} EMC`, `/OC /U BDC ${shown(HIDDEN, 100)} EMC`)
    if (has('open q', 0.15)) parts.push(`q ${0.5} 0 0 0.5 0 0 cm`)
    else if (has('extra Q', 0.1)) parts.push('Q')
    const contents: string[] = []
    while (parts.length > 0)
      contents.push(encoded(parts.splice(0, has('several streams') ? 1 : parts.length).join('\n')))
    const rect = (left: number, bottom: number, w: number, h: number): string =>
      `[${at(left, bottom)} ${at(left + w, bottom + h)}]`
    const annotations: string[] = []
    const target = whole(random, pageCount)
    const there = `[${refs[target]} /XYZ 0 100 null]`
    const link = (entries: string): number =>
      annotations.push(
        add(`<< /Type /Annot /Subtype /Link /Border [0 0 0] /Rect ${rect(10, 10, 50, 20)} ${entries} >>`),
      )
    if (has('link')) link(`/Dest ${there}`)
    if (has('action')) link(`/A << /S /GoTo /D ${there} >>`)
    if (has('web link')) link('/A << /S /URI /URI (https://example.org/) >>')
    if (has('named link')) {
      names.push(`(n${i}) ${there}`)
      link(`/A << /S /GoTo /D (n${i}) >>`)
    }
    if (has('stamp')) {
      const look = encoded(`${colour()} rg 0 0 30 30 re f`, '/Type /XObject /Subtype /Form /BBox [0 0 30 30]')
      annotations.push(
        add(`<< /Type /Annot /Subtype /Stamp /F 4 /Rect ${rect(130, 30, 30, 30)} /AP << /N ${look} >> >>`),
      )
    }
    const widget = (entries: string, ...[left, bottom]: [number, number]): string => {
      const ref = add(
        `<< /Type /Annot /Subtype /Widget /F 4 /P ${refs[i]} /Rect ${rect(left, bottom, 60, 18)} ${entries} >>`,
      )
      annotations.push(ref)
      return ref
    }
    const box = (look: string): string => {
      hasButtons = true
      return encoded(look, '/Type /XObject /Subtype /Form /BBox [0 0 60 18]')
    }
    if (has('text field')) {
      const look = has('field without appearance', 0.2)
        ? ''
        : `/AP << /N ${encoded('/Tx BMC BT /F0 10 Tf 2 5 Td (value) Tj ET EMC', `/Type /XObject /Subtype /Form /BBox [0 0 60 18] /Resources << ${fontDict} >>`)} >>`
      fields.push(widget(`/FT /Tx /T (text${i}) /V (value) /DA (/F0 ${10 / unit} Tf 0 g) ${look}`, 100, 165))
    }
    if (has('check box'))
      fields.push(
        widget(
          `/FT /Btn /T (check${i}) /V /On /AS /On /AP << /N << /On ${box('0 0 1 rg 2 2 14 14 re f')} /Off ${box('0 0 1 RG 2 2 14 14 re S')} >> >>`,
          30,
          175,
        ),
      )
    if (has('radio')) {
      const parent = add('')
      const kids = ['a', 'b'].map((state, k) =>
        widget(
          `/Parent ${parent} /AS /${k === 0 ? state : 'Off'} /AP << /N << /${state} ${box('1 0 0 rg 2 2 14 14 re f')} /Off ${box('1 0 0 RG 2 2 14 14 re S')} >> >>`,
          30 + 70 * k,
          10,
        ),
      )
      put(parent, `<< /FT /Btn /Ff 49152 /T (radio${i}) /V /a /Kids [${kids.join(' ')}] >>`)
      fields.push(parent)
    }
    const [right, top] = [x + width, y + height]
    const media = direct(has('turned box', 0.1) ? `[${right} ${top} ${x} ${y}]` : `[${x} ${y} ${right} ${top}]`)
    // programs draw a box differently when one of its edges is outside of the page
    const [lower, upper] = has('crop outside') ? [-20, 50] : [5, -5]
    const crop = has('crop')
      ? `/CropBox [${x + 10 / unit} ${y + lower / unit} ${right - 10 / unit} ${top + upper / unit}]`
      : ''
    const rotation = has('rotation') ? `/Rotate ${some([90, 180, 270, -90, 450])}` : ''
    const own = isInherited ? '' : `/Resources ${direct(resources)}`
    return `<< /Type /Page /Parent ${isInherited ? 3 : 2} 0 R /MediaBox ${media} ${crop} ${rotation} ${unit === 1 ? '' : `/UserUnit ${unit}`} ${own} /Contents ${contents.length === 1 ? contents[0] : direct(`[${contents.join(' ')}]`)} ${annotations.length === 0 ? '' : `/Annots ${direct(`[${annotations.join(' ')}]`)}`} >>`
  }
  for (const [i, ref] of refs.entries()) put(ref, pageOf(i))

  const catalog = ['/Type /Catalog /Pages 2 0 R']
  if (hasLayers)
    catalog.push(`/OCProperties << /OCGs [${seen} ${unseen}] /D << /OFF [${unseen}] /Order [${seen} ${unseen}] >> >>`)
  if (has('outline')) {
    const [root, ...items] = [add(''), ...refs.map(() => add(''))] as [string, ...string[]]
    const sibling = (key: string, ref?: string): string => (ref === undefined ? '' : `/${key} ${ref}`)
    for (const [i, item] of items.entries())
      put(
        item,
        `<< /Title (${name} chapter ${i}) /Parent ${root} /Dest [${refs[i]} /Fit] ${sibling('Prev', items[i - 1])} ${sibling('Next', items[i + 1])} >>`,
      )
    put(root, `<< /Type /Outlines /First ${items[0]} /Last ${items.at(-1)} /Count ${items.length} >>`)
    catalog.push(`/Outlines ${root}`)
  }
  if (has('labels')) catalog.push(`/PageLabels << /Nums [0 << /P (${name}-) /S /${some(['D', 'r', 'A'])} /St 3 >>] >>`)
  const attached = has('attachment', 0.15)
    ? `/EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a.txt) /EF << /F ${encoded('attached', '/Type /EmbeddedFile')} >> >>] >>`
    : ''
  if (names.length > 0 || attached !== '')
    catalog.push(`/Names << ${names.length > 0 ? `/Dests << /Names [${names.join(' ')}] >>` : ''} ${attached} >>`)
  if (fields.length > 0)
    catalog.push(
      `/AcroForm << /Fields [${fields.join(' ')}] /DA (/F0 10 Tf 0 g) /DR << ${fontDict} >> ${hasButtons || !has('NeedAppearances') ? '' : '/NeedAppearances true'} >>`,
    )
  objects[0] = `<< ${catalog.join(' ')} >>`
  objects[1] = isInherited
    ? `<< /Type /Pages /Kids [3 0 R] /Count ${pageCount} >>`
    : `<< /Type /Pages /Kids [${refs.join(' ')}] /Count ${pageCount} >>`
  // the page tree has another level
  objects[2] = isInherited
    ? `<< /Type /Pages /Parent 2 0 R /Kids [${refs.join(' ')}] /Count ${pageCount} /Resources ${resources} >>`
    : 'null'
  if (has('hybrid', 0.15)) return { ...hybrid(objects, () => random() < 0.4), name: `${name}.pdf`, units, features }
  if (has('update', 0.2)) return { ...updated(objects), name: `${name}.pdf`, units, features }
  const { path } = handMade(objects)
  const written = some([
    ['--object-streams=disable'],
    ['--object-streams=generate'],
    ['--linearize'],
    ['--qdf'],
    ['--encrypt', '', 'owner', '256', '--'],
    ['--encrypt', '', 'owner', '128', '--use-aes=y', '--'],
    ['--object-streams=generate', '--compress-streams=n'],
  ])
  features.push(written.join(' '))
  return { ...qpdfMade(...written, path), name: `${name}.pdf`, units, features }
}

const entry = (offset: number, kind: 'n' | 'f'): string =>
  `${String(offset).padStart(10, '0')} ${kind === 'n' ? '00000' : '65535'} ${kind} \n`

function saved(content: string): { path: string; content: Buffer } {
  const path = freshPath('any.pdf')
  writeFileSync(path, content, 'latin1')
  return { path, content: Buffer.from(content, 'latin1') }
}

/** The catalog has its entries only in a second version at the end of the file (ISO 32000-1, 7.5.6). */
function updated(objects: readonly string[]) {
  const first = handMade(['<< /Type /Catalog /Pages 2 0 R >>', ...objects.slice(1)]).content.toString('latin1')
  const [, start] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(first) as unknown as [string, string]
  const object = `1 0 obj\n${objects[0]}\nendobj\n`
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Prev ${start} >>`
  return saved(
    `${first}${object}xref\n1 1\n${entry(first.length, 'n')}${trailer}\nstartxref\n${first.length + object.length}\n%%EOF\n`,
  )
}

/** Some objects are only in an object stream, and free in the section before, as Word writes it (7.5.8.4). */
function hybrid(objects: readonly string[], isHidden: () => boolean) {
  const hidden = objects.flatMap((object, i) => (i > 1 && !object.includes('endstream') && isHidden() ? [i] : []))
  const entries = [entry(0, 'f')]
  let content = '%PDF-1.7\n'
  const append = (i: number, object: string): void => {
    entries[i + 1] = entry(content.length, 'n')
    content += `${i + 1} 0 obj\n${object}\nendobj\n`
  }
  for (const [i, object] of objects.entries())
    if (hidden.includes(i)) entries[i + 1] = entry(0, 'f')
    else append(i, object)
  let body = ''
  const numbers = hidden.map((i) => {
    const offset = body.length
    body += `${objects[i]}\n`
    return `${i + 1} ${offset} `
  })
  const first = numbers.join('').length
  append(objects.length, stream(numbers.join('') + body, `/Type /ObjStm /N ${hidden.length} /First ${first}`))
  const table = Buffer.concat(
    hidden.map((_, at) => Buffer.from([2, (objects.length + 1) >> 8, (objects.length + 1) & 255, at >> 8, at & 255])),
  )
  const streamAt = content.length
  const index = hidden.map((i) => `${i + 1} 1`).join(' ')
  const dict = `/Type /XRef /W [1 2 2] /Index [${index}] /Size ${objects.length + 3} /Root 1 0 R`
  append(objects.length + 1, stream(table.toString('latin1'), dict))
  const tableAt = content.length
  const trailer = `trailer\n<< /Size ${entries.length} /Root 1 0 R`
  content += `xref\n0 ${entries.length}\n${entries.join('')}${trailer} >>\nstartxref\n${tableAt}\n%%EOF\n`
  const end = `${trailer} /Prev ${tableAt} /XRefStm ${streamAt} >>\nstartxref\n${content.length}\n%%EOF\n`
  return saved(`${content}xref\n0 0\n${end}`)
}

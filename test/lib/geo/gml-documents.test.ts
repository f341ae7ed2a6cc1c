/** What is around the features of a GML that is read without GDAL, and damaged documents. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { mutated, sampled } from '../../support/fuzz.ts'
import {
  type Around,
  at,
  compare,
  documents,
  expectLeftToGdal,
  expectPlain,
  expectSame,
  HOLE,
  line,
  list,
  mixed,
  multi,
  NAMESPACES,
  of,
  PADDING_ROWS,
  point,
  polygon,
  SHELL,
  URN,
  values,
} from '../../support/gml-documents.ts'

describe('documents', () => {
  compare('read without GDAL', true, (around: Around) => documents(values(['1', 'x']), around), [
    ['no declaration', { declaration: '' }],
    ['a declaration without encoding', { declaration: "<?xml version='1.0'?>" }],
    [
      'a declaration with everything',
      { declaration: '<?xml version="1.0" encoding=\'utf-8\' standalone="yes" ?>\r\n' },
    ],
    ['a mark of the byte order', { declaration: '\uFEFF<?xml version="1.0" encoding="UTF-8"?>' }],
    ['comments', { declaration: '<!-- a --><!---->', head: '<!-- <b> & -->', tail: '<!-- c -->\n' }],
    ['names of the collection', { head: '<gml:name>a &amp; b</gml:name><gml:description/>' }],
    ['bounds without corners', { head: '<gml:boundedBy><gml:Null>unknown</gml:Null></gml:boundedBy>' }],
    [
      'bounds of GML 2',
      { head: '<gml:boundedBy><gml:Box><gml:coordinates>0,0 9,9</gml:coordinates></gml:Box></gml:boundedBy>' },
    ],
    ['the default namespace', { root: `${NAMESPACES} xmlns="http://www.opengis.net/gml"` }],
    ['schema locations', { root: `${NAMESPACES} xsi:schemaLocation="http://example.com/a a.xsd"` }],
    ['an id of the collection', { root: `${NAMESPACES} gml:id="all"` }],
    ['a number of features', { root: `${NAMESPACES} numberOfFeatures="7" timeStamp="2024-02-29T10:20:30Z"` }],
  ])

  compare('left to GDAL', false, (around: Around) => documents(values(['1', 'x']), around), [
    ['another encoding', { declaration: '<?xml version="1.0" encoding="ISO-8859-1"?>' }],
    ['another version', { declaration: '<?xml version="1.1"?>' }],
    ['instructions', { head: '<?a b?>' }],
    ['trailing text', { tail: 'x' }],
    ['trailing zeros', { tail: '\0\0' }],
    ['another root', { tail: '<a/>' }],
    ['very much white space', { head: ' '.repeat(20_000) }],
    ['very many lines', { head: '\n'.repeat(200_000) }],
    ['elements around', { head: '<a:more><a:member>x</a:member></a:more>' }],
    ['a namespace twice', { root: `${NAMESPACES} xmlns:a="http://example.com/b"` }],
    ['no namespace of GML', { root: 'xmlns:a="http://example.com/a"' }],
    ['a reference that does not exist', { head: '<gml:name>&nothing;</gml:name>' }],
    ['a reference to no character', { head: '<gml:name>&#0;</gml:name>' }],
    ['half a comment', { head: '<!-- a -- b -->' }],
    ['the end of CDATA', { head: '<gml:name>]]></gml:name>' }],
    ['a control character', { head: '<gml:name>\u0001</gml:name>' }],
    ['U+FFFF', { head: '<gml:name>\uFFFF</gml:name>' }],
    ['an application schema', { head: '<a:CityModel/>' }],
  ])

  const changed = (from: string | RegExp, to: string): string[] => [text.replaceAll(from, to)]
  const text = documents(values(['1', 'x']))[1] as string // the rows are not in the sample

  compare('changed, read without GDAL', true, changed, [
    ['quotes', /"/g, "'"],
    ['lines of Windows', /\n/g, '\r\n'],
    ['other prefixes', /gml:featureMember/g, 'wfs:member'],
    ['no prefixes', /a:thing/g, 'thing'],
    ['members together', /<\/gml:featureMember>\n<gml:featureMember>/g, ''],
    ['ids of GML 2', /gml:id=/g, 'fid='],
    ['no ids', / gml:id="[^"]*"/g, ''],
    ['ids that look made up', /gml:id="[^"]*?(\d+)y?"/g, 'gml:id="thing.$1"'],
    [
      'bounds of features',
      /<a:geom>/g,
      `<gml:boundedBy><gml:Envelope ${URN}><gml:lowerCorner>0 0</gml:lowerCorner><gml:upperCorner>9 9</gml:upperCorner></gml:Envelope></gml:boundedBy><a:geom>`,
    ],
    ['a WFS', /a:FeatureCollection/g, 'wfs:FeatureCollection'],
    ['a collection of GML', /a:FeatureCollection/g, 'gml:FeatureCollection'],
    [
      'a collection in a collection',
      /(<a:FeatureCollection[^>]*>)([\s\S]*)(<.a:FeatureCollection>)/g,
      '$1<wfs:member><wfs:FeatureCollection>$2</wfs:FeatureCollection></wfs:member>$3',
    ],
    ['a geometry called geometry', /a:geom>/g, 'a:geometry>'],
  ])

  compare('changed, left to GDAL', false, changed, [
    ['another element', '<a:thing gml:id="x.1">', '<a:other gml:id="x.1">'],
    ['an end of another element', '</a:v>', '</a:w>'],
    ['no end', '</a:FeatureCollection>', ''],
    ['no quote', 'gml:id="x.0"', 'gml:id="x.0'],
    ['no value', 'gml:id="x.0"', 'gml:id'],
    ['no space', 'gml:id="x.0"', 'gml:id="x.0"b="c"'],
    ['an attribute twice', 'gml:id="x.0"', 'gml:id="x.0" b="" b=""'],
    ['less in an attribute', 'gml:id="x.0"', 'gml:id="x<0"'],
    ['a bare ampersand', '<a:v>1', '<a:v>a&b'],
    ['an element that only GDAL knows', '<a:v>1', '<a:Tuple>1</a:Tuple><a:v>1'],
    ['two names', /<(\/?)a:thing/g, '<$1a:thing:b'],
    ['a feature in another element', /gml:featureMember/g, 'dane'],
    ['features of a map server', /(a:FeatureCollection|gml:featureMember)/g, 'a_layer'],
    ['some ids that look made up', /gml:id="x.p(\d+)y"/g, 'gml:id="thing.$1"'],
    ['some empty ids', 'gml:id="x.0"', 'gml:id=""'],
    ['no id', ' gml:id="x.0"', ''],
    ['bounds of one feature', '<a:v>1</a:v>', `<gml:boundedBy><gml:Envelope ${URN}/></gml:boundedBy><a:v>1</a:v>`],
    [
      'bounds at the end',
      '</a:FeatureCollection>',
      `<gml:boundedBy><gml:Envelope ${URN}/></gml:boundedBy></a:FeatureCollection>`,
    ],
    ['a deep element', '<a:v>1', `${'<a:d>'.repeat(70)}${'</a:d>'.repeat(70)}<a:v>1`],
    [
      'a feature directly in the collection',
      '</a:FeatureCollection>',
      '<a:thing gml:id="z"><a:v>1</a:v></a:thing></a:FeatureCollection>',
    ],
    ['a geometry as the collection', /a:FeatureCollection/g, 'gml:MultiPoint'],
  ])

  test('bytes that are no UTF-8', () => {
    const bytes = Buffer.from(text)
    for (const wrong of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
      const place = bytes.indexOf('<a:v>x') + 5
      expectLeftToGdal([Buffer.concat([bytes.subarray(0, place), Buffer.from(wrong), bytes.subarray(place)])])
    }
  })

  test('small ones', () => {
    expectLeftToGdal(['', '<a/>', text.slice(0, 3000), '<?xml version="1.0"?>'])
  })

  test('as many features as allowed, and more', () => {
    const count = PADDING_ROWS * 2 + 2
    expectPlain([text], { maxFeatures: count })
    expect(expectSame([text], { maxFeatures: count - 1 })).toBe(0)
    expect(expectSame([text], { maxFeatures: 5 })).toBe(0)
  })

  test('several blocks, characters on their borders, and a feature that is larger than a block', () => {
    const letters = ['ä', 'ب', '€', '😀'].map((letter) => letter.repeat(997))
    const rows = Array.from({ length: 2_500 }, (_, i) => `${point(i)}<a:v>${letters[i % 4]}</a:v>`)
    const long = Array.from({ length: 700_000 }, (_, i) => `${i} ${i % 7}.25`).join(' ')
    const [, document = ''] = documents([...rows, at(line(list(long), of())), ...rows], { padding: mixed })
    expectPlain([document])
  })

  test('positions on lines of their own', () => {
    const lines = (count: number): string => Array.from({ length: count }, (_, i) => `${i % 10}\n1`).join('\n')
    expectPlain(documents([at(line(list(lines(100)), of()))], { padding: mixed }))
    expectSame(documents([at(line(list(lines(200_000)), of()))], { padding: mixed }))
    expectSame(documents([`<a:v>${'\n'.repeat(300_000)}x</a:v>`]))
  })

  test('damaged ones', () => {
    const written = [
      ...documents(values(['1', 'x & y'.replace('&', '&amp;'), '2.5'])).slice(1),
      ...documents(
        [
          at(polygon([list(SHELL), list(HOLE)], of())),
          at(multi('MultiPolygon', 'polygonMember', [polygon([list(SHELL)])])),
        ],
        { padding: mixed },
      ).slice(1, 2),
    ].map((document) => Buffer.from(document))
    const damaged = sampled(mutated(...written), 400)
    // most of the damage is where GDAL looks, so some is added after that
    const late = sampled(fc.tuple(mutated(...written.map((bytes) => bytes.subarray(9_000))), fc.nat(2)), 300).map(
      ([end, i]) => Buffer.concat([(written[i] as Buffer).subarray(0, 9_000), end]),
    )
    const tags = sampled(
      fc.tuple(fc.nat(2), fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(2)), { minLength: 1, maxLength: 3 })),
      300,
    ).map(([i, edits]) => {
      const parts = (written[i] as Buffer).toString().split(/(?=<)|(?<=>)/)
      for (const [from, to, kind] of edits) {
        const place = to % parts.length
        if (kind === 0) parts.splice(place, 1)
        else parts.splice(place, kind - 1, parts[from % parts.length] as string)
      }
      return parts.join('')
    })
    // in texts and numbers that GDAL does not look at first
    const places = written.map((bytes) =>
      [...bytes.toString('latin1').matchAll(/(?<=>)[^<\n]+/g)].flatMap(({ index, 0: text }) =>
        index > 9_000 ? Array.from(text, (_, k) => index + k) : [],
      ),
    )
    const character = fc.constantFrom(...'0123456789.-+ eax<>&;"\n\t\r/:')
    const typos = sampled(fc.tuple(fc.nat(2), fc.nat(), character), 400).map(([i, place, byte]) => {
      const bytes = Buffer.from(written[i] as Buffer)
      const inText = places[i] as number[]
      bytes[inText[place % inText.length] as number] = byte.charCodeAt(0)
      return bytes
    })
    expect(expectSame([...damaged, ...late, ...tags, ...typos])).toBeGreaterThan(100)
  }, 120_000)
})

/** Reference systems by name and code; their strings in proj4js compared with Debian's GDAL and PROJ. */
import { expect, test } from 'bun:test'
import proj4 from 'proj4'
import { transformed } from '../support/formats/proj.ts'
import { sharedInstance } from '../support/server/shared-instance.ts'

type System = { code: number; name: string; kind: string; area: string | null; bbox: number[] | null }
type Definition = System & { proj4: string | null; errorM: number | null }

const instance = await sharedInstance()
const organization = await instance.organization()

const search = async (q: string, more = '') =>
  (
    await instance.query<{ items: System[]; nextCursor: string | null }>(
      organization,
      `/crs?q=${encodeURIComponent(q)}${more}`,
    )
  ).data
const get = async (code: number) => instance.query<Definition>(organization, `/crs/${code}`)

test('systems are found by words of their name and area and by code, page by page', async () => {
  expect((await search('egypt red belt')).items.map(({ code }) => code)).toContain(22992)
  expect((await search('EPSG:3857')).items[0]).toMatchObject({ code: 3857, kind: 'projected' })
  expect((await search('4326')).items[0]).toMatchObject({ code: 4326, kind: 'geographic' })
  const [osgb] = (await search('27700')).items
  expect(osgb).toMatchObject({ code: 27700, name: 'OSGB36 / British National Grid' })
  expect(osgb?.bbox?.map(Math.round)).toEqual([-9, 50, 2, 61])
  expect((await search('<b>💥')).items).toEqual([])
  const all: number[] = []
  for (let cursor = ''; ; ) {
    const page = await search('utm zone 36', `&limit=7${cursor}`)
    all.push(...page.items.map(({ code }) => code))
    if (page.nextCursor === null) break
    cursor = `&cursor=${page.nextCursor}`
  }
  expect(all).toEqual((await search('utm zone 36', '&limit=1000')).items.map(({ code }) => code))
  expect(all).toContain(32636)
  expect(new Set(all).size).toBe(all.length)
}, 60_000)

// a place in the area of use of each system
const PLACES: [code: number, longitude: number, latitude: number][] = [
  [32636, 31.2, 30.05],
  [3857, 31.2, 30.05],
  [22992, 31.2, 30.05],
  [2154, 2.35, 48.85],
  [2056, 7.44, 46.95],
  [27700, -1.5, 52.5],
  [3035, 10, 52],
  [2193, 174.8, -41.3],
  [5070, -96, 39],
]

test('the string of a system agrees with PROJ', async () => {
  for (const [code, longitude, latitude] of PLACES) {
    const { data } = await get(code)
    expect([code, data.errorM]).toEqual([code, expect.any(Number)])
    const own = proj4(data.proj4 as string, [longitude, latitude])
    const [expected = [Number.NaN, Number.NaN]] = transformed('EPSG:4326', `EPSG:${code}`, [[longitude, latitude]])
    const difference = Math.hypot((own[0] as number) - expected[0], (own[1] as number) - expected[1])
    expect([code, difference < 1]).toEqual([code, true])
  }
}, 60_000)

test('systems that the browser’s library cannot compute have no string, and unknown systems do not exist', async () => {
  // Laborde's projection of Madagascar is not in proj4js
  expect((await get(8441)).data).toMatchObject({ code: 8441, proj4: null, errorM: null })
  for (const code of [1, 999_999, 5773]) expect([code, (await get(code)).code]).toEqual([code, 'NOT_FOUND'])
  expect((await instance.query(organization, '/crs/x')).code).toBe('VALIDATION_FAILED')
  expect((await instance.query(organization, '/crs?cursor=x')).code).toBe('VALIDATION_FAILED')
}, 60_000)

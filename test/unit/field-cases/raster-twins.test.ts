/** Generated rasters of every kind: figures, shades and cells are compared with GDAL and numpy. */
import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { madeAt } from '../../support/formats/rasters.ts'
import { outputOf } from '../../support/program.ts'
import { testSeed } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { sharedFolder } from '../../support/run-end.ts'
import { geojson, runTool } from '../../support/workers/engine.ts'

const seed = testSeed
process.stderr.write(`replay with TEST_SEED=${seed}\n`)

type Figures = { count: number } & Partial<Record<'min' | 'max' | 'mean' | 'std' | 'median', number>>
type Twin = {
  path: string
  facts: object
  bands: Figures[]
  band: number
  ring: number[][]
  zonal: Figures
  shade: number[] | null
}
const TWINS = join(import.meta.dir, '../../support/twins/raster_twins.py')
// Debian's Python, which has GDAL's bindings
const twins = (args: string[], input: unknown): unknown =>
  JSON.parse(outputOf('/usr/bin/python3', [TWINS, ...args], { input: JSON.stringify(input) }).toString())

const UTM = { crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25833' } } }
/** Rasters per Python process, which takes a second to start. */
const BATCH = rounds(8, 15)

const isNear = (mine: unknown, theirs: number): boolean =>
  typeof mine === 'number' && Math.abs(mine - theirs) <= 1e-9 * Math.abs(theirs) + 1e-7

test('figures, zones, shades and cells match GDAL and numpy', async () => {
  for (let batch = 0; batch < rounds(1, 130); batch++) {
    const made = twins(
      ['make', String(seed + batch), String(BATCH), mkdtempSync(join(sharedFolder('twins'), 'made-'))],
      [],
    )
    const [shades, cogs]: [{ at: number; path: string }[], [string, string][]] = [[], []]
    const wrong: unknown[] = []
    for (const [at, { path, facts, bands, band, ring, zonal, shade }] of (made as Twin[]).entries()) {
      const file = madeAt(path)
      const check = (what: string, mine: Record<string, unknown>, theirs: Figures): void => {
        for (const [name, value] of Object.entries(theirs))
          if (!isNear(mine[name], value))
            wrong.push({ seed, batch, at, facts, what, name, mine: mine[name], theirs: value })
      }
      const { data } = await runTool('raster.raster-inspect', { file })
      for (const [i, own] of (data.bands as Record<string, unknown>[]).entries()) {
        const { median: _, ...theirs } = bands[i] as Figures
        check(`band ${i + 1}`, { ...own, count: own.validCount, std: own.stdDev }, theirs)
      }
      const zones = await runTool('raster.zonal-stats', {
        file: geojson([[{}, { type: 'Polygon', coordinates: [ring] }]], UTM),
        raster: file,
        band,
        stats: ['count', 'min', 'max', 'mean', 'std', 'median'],
        target_format: 'geojson',
      })
      check('zone', zones.geojson().features[0]?.properties ?? {}, zonal)
      if (shade !== null) shades.push({ at, path: (await runTool('raster.hillshade', { file, band })).path })
      cogs.push([path, (await runTool('raster.cog-optimize', { file })).path])
    }
    for (const [i, differences] of (twins(['same'], cogs) as string[][]).entries())
      if (differences.length > 0) wrong.push({ seed, batch, at: i, facts: (made as Twin[])[i]?.facts, differences })
    const cells = twins(
      ['cells'],
      shades.map(({ path }) => path),
    ) as number[][]
    for (const [i, { at }] of shades.entries()) {
      const { shade, facts } = (made as Twin[])[at] as Twin
      // gdaldem divides by an approximate square root, so a shade close to a half may be rounded the other way
      const off = cells[i]?.findIndex((value, k) => Math.abs(value - (shade?.[k] as number)) > 1)
      if (off !== -1)
        wrong.push({ seed, batch, at, facts, off, mine: cells[i]?.[off as number], theirs: shade?.[off as number] })
    }
    expect(wrong.slice(0, 5)).toEqual([])
  }
}, 3_600_000)

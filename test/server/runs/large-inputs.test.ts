/** How much of the sent files stays in the kernel's page cache, measured by fincore of util-linux. */
import { expect, test } from 'bun:test'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { geotiff } from '../../support/formats/rasters.ts'
import { outputOf } from '../../support/program.ts'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { eventually } from '../../support/until.ts'
import { callTool, fetchFile } from '../../support/workers/tools.ts'

const instance = await sharedInstance()

const TMPFS = 0x01021994
const FINCORE = Bun.which('fincore')
/** In file systems in memory, the page cache is the only place of files. */
const canLook = () => FINCORE !== null && statfsSync(instance.dir).type !== TMPFS

test('a large uploaded file leaves the page cache after the call, a small one stays; both are stored completely', async () => {
  const organization = await instance.organization()
  const rasters = [2_100, 300].map((side) =>
    geotiff([Float32Array.from({ length: side * side }, (_, i) => i % side)], side),
  )
  for (const [i, { name, content }] of rasters.entries()) {
    const response = await callTool(instance, organization, '/raster-inspect', { file: { name, content } }, true)
    const { inputKey } = ((await response.json()) as Envelope).data as { inputKey: string }
    const stored = join(instance.dir, 'files', inputKey.slice(-2), inputKey)
    if (canLook())
      await eventually(() => {
        const cached = Number(outputOf(FINCORE as string, ['-b', '-n', '-o', 'RES', stored]).toString())
        expect(cached).toBe(i === 0 ? 0 : Math.ceil(content.length / 4096) * 4096)
      })
    expect((await fetchFile(instance, organization, inputKey)).equals(content)).toBe(true)
  }
})

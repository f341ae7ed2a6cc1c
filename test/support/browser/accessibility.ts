/** axe-core's findings that keep people from using a page. */
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const SCRIPT = join(import.meta.dir, '../../../node_modules/axe-core/axe.min.js')

type Found = { id: string; impact: string | null; nodes: { html: string }[] }

/** @returns each serious or critical fault with the first element that has it */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(await Bun.file(SCRIPT).text())
  // without resources needed only to inspect media, and without details of passed rules
  const violations = await page.evaluate<Found[]>(
    "axe.run(document, { resultTypes: ['violations'], preload: false }).then((result) => result.violations)",
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}

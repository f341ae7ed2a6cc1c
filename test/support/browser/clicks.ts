/** The clicks of a person on a page, as the page receives them. */
import { expect } from 'bun:test'
import type { Page } from 'playwright-core'

/**
 * Counts from now on. The keyboard and the choice of files are no clicks. A reload forgets the count, and the check fails.
 * @returns asserts the number of clicks
 */
export async function clicksOf(page: Page): Promise<(count: number) => Promise<void>> {
  const counted = (): Promise<number> => page.evaluate<number>('globalThis.clicks')
  await page.evaluate(`if (globalThis.clicks === undefined) {
    globalThis.clicks = 0
    addEventListener('pointerdown', () => globalThis.clicks++, true)
  }`)
  const before = await counted()
  return async (count) => expect((await counted()) - before).toBe(count)
}

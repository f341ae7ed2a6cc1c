/**
 * Measures waiting times by the clock of the page. The test program would add its own time: it looks again only half a
 * second later after the first few times.
 */
import type { Locator, Page } from 'playwright-core'

/** The parts of a browser's global scope that are used; benches have no DOM types. */
type Scope = {
  document: {
    querySelector(selector: string): unknown
    addEventListener(
      type: string,
      listener: (event: { timeStamp: number }) => void,
      options: { capture: true; once: true },
    ): void
  }
  requestAnimationFrame(call: () => void): void
}

/** Milliseconds from a click until something matches `selector` and the frame that shows it has been drawn. */
export async function fromClick(page: Page, target: Locator, selector: string): Promise<number> {
  const drawn = page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const scope = globalThis as unknown as Scope
        let clickedMs: number | undefined
        scope.document.addEventListener(
          'click',
          ({ timeStamp }) => {
            clickedMs = timeStamp
          },
          { capture: true, once: true },
        )
        const look = (): void => {
          const startedMs = clickedMs
          if (startedMs === undefined || scope.document.querySelector(wanted) === null)
            scope.requestAnimationFrame(look)
          // this frame is drawn before the next one begins
          else scope.requestAnimationFrame(() => resolve(performance.now() - startedMs))
        }
        look()
      }),
    selector,
  )
  await target.click()
  return drawn
}

/** Milliseconds from the start of a navigation until something matches `selector` and the frame that shows it is drawn. */
export async function fromNavigation(page: Page, path: string, selector: string): Promise<number> {
  await page.addInitScript((wanted) => {
    const scope = globalThis as unknown as Scope & { drawnMs?: number }
    const look = (): void => {
      if (scope.document.querySelector(wanted) === null) scope.requestAnimationFrame(look)
      else
        scope.requestAnimationFrame(() => {
          scope.drawnMs = performance.now()
        })
    }
    look()
  }, selector)
  await page.goto(path, { waitUntil: 'commit' })
  const drawn = await page.waitForFunction(() => (globalThis as { drawnMs?: number }).drawnMs)
  return (await drawn.jsonValue()) as number
}

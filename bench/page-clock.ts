/** Times what a person waits for after a click by the clock of the page, so that the time of the test program does not count. */
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

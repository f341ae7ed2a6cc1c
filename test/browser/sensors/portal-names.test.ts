/** Names that are too long for their place, and that read against the page. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { sensorPages } from '../../support/browser/sensor-pages.ts'
import { eventually } from '../../support/until.ts'

const { organization, sensorWith, signedIn, open } = sensorPages()

const ARABIC = `أول ${'غرفة التبريد الكبيرة في مستودع الميناء '.repeat(4)}آخر`
const LATIN = `First ${'large cold room in the warehouse of the harbour '.repeat(4)}last`

/** Each place where a name is shown, with whether its first letter can be seen. */
const starts = (page: Page, name: string): Promise<[place: string, isSeen: boolean][]> =>
  page.evaluate(`(() => {
    const wanted = ${JSON.stringify(name)}
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) {
      const node = walker.currentNode
      const at = node.data.indexOf(wanted)
      if (at === -1) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      const { left, right } = range.getBoundingClientRect()
      if (left === right) continue
      const above = []
      for (let one = node.parentElement; one !== null; one = one.parentElement) above.push(one)
      const isSeen = above
        .filter((one) => getComputedStyle(one).overflowX !== 'visible')
        .every((one) => {
          const box = one.getBoundingClientRect()
          return left >= box.left - 1 && right <= box.right + 1
        })
      found.push([above[0]?.tagName + ' in ' + above[1]?.className, isSeen])
    }
    return found
  })()`)

test('a long name is cut at its end, in pages of either direction', async () => {
  const at = new Date().toISOString()
  const sensors = []
  for (const name of [ARABIC, LATIN])
    sensors.push(await sensorWith([{ at, values: { temperature: 4 } }], name.slice(0, 200).trim()))
  const ids = sensors.map(({ id }) => id)
  for (const language of ['en', 'ar'] as const)
    for (const width of [390, 1440]) {
      const context = await signedIn({ width, language })
      for (const path of ['/sensors?', `/sensors/compare?with=${ids}&`, `/sensors/${ids[0]}?`, `/sensors/${ids[1]}?`]) {
        const page = await open(context, `${path}enterprise=${organization.id}`)
        const first = path.startsWith(`/sensors/${ids[1]}`) ? LATIN : ARABIC
        await page.getByText(first.slice(0, 20)).first().waitFor()
        for (const name of [ARABIC, LATIN])
          await eventually(async () => {
            const hidden = (await starts(page, name.slice(0, 20))).filter(([, isSeen]) => !isSeen)
            expect({ language, width, path, hidden }).toEqual({ language, width, path, hidden: [] })
          })
        await page.close()
      }
    }
}, 300_000)

/** Every page of the portal, by its address: on a phone, on a tablet, at 200 %, and in one system of digits. */
import { beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { ROOT } from '../../../src/setup/build-portal.ts'
import { accessibilityFaults } from '../../support/browser/accessibility.ts'
import { boxOf, follow } from '../../support/browser/browser.ts'
import { type PortalFleet, portalFleet } from '../../support/browser/portal-fleet.ts'
import { portalPages } from '../../support/browser/portal-pages.ts'
import { eventually } from '../../support/until.ts'
import { shownRuns } from '../../support/workers/run-results.ts'

const { instance, as } = portalPages({})
// a computed path: the browser's code is type-checked in a separate project
const { ROUTES } = (await import(join(ROOT, 'src/portal/routes.ts'))) as { ROUTES: { path: string; isPublic?: true }[] }
/** Parts of a page with an address. */
const PARTS: Record<string, string[]> = {
  '/alerts': ['', '?tab=history', '?tab=silences'],
  '/sensors/:id': ['', '?tab=alerts', '?tab=refused', '?tab=readings', '?tab=upload', '?tab=settings'],
  '/sensors/connect': ['', '?by=http', '?by=ttn'],
  '/settings/fleet-keys/:id': ['', '?tab=refused', '?tab=settings'],
  '/zones': ['', '?tab=events'],
}
let fleet: PortalFleet
let addresses: string[] = []

beforeAll(async () => {
  fleet = await portalFleet(instance)
  const tags = ['منطقة التخزين الباردة الشمالية', 'northern-cold-storage-area']
  await instance.manage('PATCH', `/sensors/${fleet.sensors[0]?.id}`, { tags })
  const [run = ''] = await shownRuns(instance.url, fleet)
  const own = ROUTES.filter(({ isPublic }) => isPublic !== true)
  addresses = own.flatMap(({ path }) =>
    path === '/runs/:id' ? run : (PARTS[path] ?? ['']).map((part) => (fleet.addressOf(path) ?? path) + part),
  )
}, 300_000)

/** Faults of the page as it is shown: too wide, cut at the wrong end, or in the other system of digits. */
const faultsOf = (otherDigits: string) => `(() => {
  const faults = []
  const add = (what, one) => faults.push(what + ': <' + one.tagName.toLowerCase() + ' class="' + one.className + '"> ' + one.textContent.trim().slice(0, 80))
  const root = document.scrollingElement
  const isOutside = (one) => {
    const { left, right, width } = one.getBoundingClientRect()
    return width > 0 && (left < -1 || right > innerWidth + 1)
  }
  if (root.scrollWidth > innerWidth) add('wider than the window', [...document.querySelectorAll('body *')].find(isOutside) ?? root)
  const endOf = (one) => one.getBoundingClientRect()[document.dir === 'rtl' ? 'left' : 'right']
  for (const select of document.querySelectorAll('main .plain-table select')) {
    if (isOutside(select)) add('outside', select)
    const side = document.dir === 'rtl' ? -1 : 1
    if (select.checkVisibility() && side * (endOf(select.closest('td')) - endOf(select)) < 4) add('touches the next cell', select)
  }
  if (innerWidth < 480)
    for (const row of document.querySelectorAll('main .rows-on-phone tbody tr')) {
      const values = [...row.querySelectorAll('td[data-label]:not(:first-child)')].filter((one) => one.checkVisibility())
      const ends = values.map(endOf)
      for (const [i, end] of ends.entries()) if (Math.abs(end - ends[0]) > 2) add('not aligned', values[i])
    }
  // the columns of a person's own data may be any number
  const isOwnData = /\\/(runs|layers)\\/./.test(location.pathname)
  for (const table of document.querySelectorAll('.table-scroll'))
    if (!isOwnData && table.scrollWidth > table.clientWidth) add('columns outside', table.querySelector('.table-head'))
  const start = document.createRange()
  // a number and its unit are isolated together in Arabic; descriptions of the API have other spaces
  const PARTED = /[\\u2066\\u2067][^\\u2066-\\u2069]*\\p{Nd} [^\\u2066-\\u2069]|\\p{Nd}\\u2069? (ms|sec|min|minutes|hr|days|KiB|MiB|GiB)(?!\\p{L})/u
  const isReference = location.pathname.endsWith('/reference')
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { parentElement: parent, textContent: text } = texts.currentNode
    if (!parent.checkVisibility() || parent.closest('script, style')) continue
    const cut = parent.closest('.cut, .sensor-tag, .table-number > *')
    const at = text.search(/[\\p{L}\\p{N}]/u)
    if (cut !== null && at >= 0 && cut.textContent.indexOf(text) === 0) {
      start.setStart(texts.currentNode, at)
      start.setEnd(texts.currentNode, at + 1)
      const [first, box] = [start.getBoundingClientRect(), cut.getBoundingClientRect()]
      if (box.width > 0 && (first.right > box.right + 2 || first.left < box.left - 2)) add('cut at its start', cut)
    } else if (cut !== null && at >= 0) {
      // a name in the other direction at the end of a line
      const isIn = (from) => {
        start.setStart(texts.currentNode, from)
        start.setEnd(texts.currentNode, from + 1)
        const [{ left, right }, box] = [start.getBoundingClientRect(), cut.getBoundingClientRect()]
        return right <= box.right + 2 && left >= box.left - 2
      }
      if (!isIn(at) && isIn(text.trimEnd().length - 1)) add('cut at its start', cut)
    }
    if (PARTED.test(text) && !isReference) add('number that a line end can part from its unit', parent)
    if (/\\p{Nd}\\u2069?\\/\\p{L}/u.test(text) && parent.closest('bdi, code, pre, main [dir]') === null) add('rate that a line end can cut', parent)
    // names of people and their data have a direction, and names of formats and systems have letters
    const isName = parent.closest('bdi, code, pre, body [dir]') !== null
    const words = text.replace(/[A-Za-z][A-Za-z_]*[ :_-]?\\d[\\d.:]*\\w*/g, '')
    if (!isName && ${otherDigits}.test(words)) add('digits', parent)
  }
  return faults
})()`

/** Controls that are below something else after they were scrolled into view. */
const COVERED = `(() => {
  const controls = document.querySelectorAll('main :is(input[type=search], .search-field, .page-head :is(a, button), .button-main, form button, .map button)')
  return [...controls].filter((control) => {
    if (!control.checkVisibility() || control.disabled) return false
    control.scrollIntoView({ block: 'nearest' })
    const { left, top, width, height } = control.getBoundingClientRect()
    const hit = document.elementFromPoint(left + width / 2, top + height / 2)
    return width > 0 && !control.contains(hit) && !hit?.contains(control)
  }).map((control) => 'covered: <' + control.tagName.toLowerCase() + ' class="' + control.className + '"> ' + (control.textContent || control.placeholder))
})()`

/** The page looks itself: questions from here cost more processor time than the page. */
const SETTLED = `new Promise((resolve) => {
  let last = ''
  const look = () => {
    const now = [
      location.href,
      document.querySelectorAll('main *').length,
      document.querySelectorAll('main h1').length,
      document.querySelectorAll('.skeleton, .table-missing, .map[data-ready="false"]').length,
    ].join(' ')
    if (now === last && now.endsWith(' 1 0')) return resolve(true)
    last = now
    setTimeout(look, 30)
  }
  look()
})`

/** Waits until the page is loaded: its size is the same twice, and nothing is being loaded. */
const settled = (page: Page): Promise<boolean> => page.evaluate<boolean>(SETTLED)

async function walker(language: 'en' | 'ar', digits: 'latn' | 'arab'): Promise<Page> {
  const page = await (await as({ browser: fleet.operator.browser }, { language })).newPage()
  const view = JSON.stringify({ digits, enterprise: fleet.enterpriseId })
  await page.addInitScript(`localStorage.setItem('groundwave.view', ${JSON.stringify(view)})`)
  return page
}

test('every page fits a phone in Arabic, without another system of digits', async () => {
  const page = await walker('ar', 'arab')
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/portal/')
  const found: Record<string, string[]> = {}
  for (const address of addresses) {
    await follow(page, address)
    await settled(page)
    const faults = await page.evaluate<string[]>(faultsOf('/[0-9]/'))
    if (faults.length > 0) found[address] = faults
  }
  expect(found).toEqual({})
}, 600_000)

test('pages fit a phone and a tablet in English, and at 200 % nothing covers its controls', async () => {
  const page = await walker('en', 'latn')
  await page.setViewportSize({ width: 768, height: 900 })
  await page.goto('/portal/')
  const found: Record<string, string[]> = {}
  for (const address of addresses) {
    await page.setViewportSize({ width: 768, height: 900 })
    await follow(page, address)
    await settled(page)
    const faults = await page.evaluate<string[]>(faultsOf('/[٠-٩]/'))
    await page.setViewportSize({ width: 640, height: 360 })
    faults.push(...(await page.evaluate<string[]>(COVERED)))
    await page.setViewportSize({ width: 390, height: 844 })
    await settled(page)
    faults.push(...(await page.evaluate<string[]>(faultsOf('/[٠-٩]/'))))
    if (faults.length > 0) found[address] = faults
  }
  expect(found).toEqual({})
}, 600_000)

test('pages without an account fit a phone', async () => {
  const found: Record<string, string[]> = {}
  for (const [i, { path }] of ROUTES.filter(({ isPublic }) => isPublic === true).entries()) {
    const page = await (await as(undefined, { language: i % 2 === 0 ? 'ar' : 'en' })).newPage()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`/portal${fleet.addressOf(path)}`)
    await settled(page)
    const faults = await page.evaluate<string[]>(faultsOf('/[٠-٩]/'))
    if (faults.length > 0) found[path] = faults
  }
  expect(found).toEqual({})
}, 300_000)

test('on a phone the audit log shows who made a change', async () => {
  const page = await (await as({ browser: fleet.operator.browser })).newPage()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/portal/settings/audit')
  const who = page.locator('.table-body bdi', { hasText: fleet.operator.email }).first()
  await who.waitFor()
  const { x, width } = await boxOf(who)
  expect(x).toBeGreaterThan(0)
  expect(Math.min(x + width, 390) - x).toBeGreaterThan(80)
})

test('on a desktop the audit log shows whole addresses and kinds of records', async () => {
  for (const language of ['en', 'ar'] as const) {
    const page = await (await as({ browser: fleet.operator.browser }, { language })).newPage()
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/portal/settings/audit')
    await page.locator('.table-body bdi', { hasText: fleet.operator.email }).first().waitFor()
    const cut = await page
      .locator('.table-body [role="gridcell"]:is(:nth-child(2), :nth-child(3)) .cut')
      .evaluateAll((found) =>
        found.flatMap(({ scrollWidth, clientWidth, textContent }) => (scrollWidth > clientWidth ? [textContent] : [])),
      )
    expect(cut).toEqual([])
  }
}, 300_000)

test('no number is cut by the edge of the table: columns without room begin beyond it', async () => {
  const columns = ['state', 'name', 'asset', 'c.temperature', 'c.humidity', 'lastAt', 'tags', 'id']
  for (const language of ['en', 'ar'] as const) {
    const page = await walker(language, 'latn')
    await page.goto(`/portal/sensors?columns=${columns}`)
    await page.locator('.table-body .table-number').first().waitFor()
    for (const width of [768, 1024, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await eventually(async () => {
        const { inside, beyond, cut, empty } = await page.locator('.table-scroll').evaluate((table) => {
          const { left, width: all } = table.getBoundingClientRect()
          const isRightToLeft = table.ownerDocument.dir === 'rtl'
          const edge = table.clientWidth
          const heads = [...table.querySelectorAll('[role="columnheader"]')].map((head) => {
            const box = head.getBoundingClientRect()
            const start = isRightToLeft ? left + all - box.right : box.left - left
            return [start, start + box.width] as const
          })
          const border = 3
          return {
            inside: heads.filter(([, end]) => end <= edge + border).length,
            beyond: heads.filter(([start]) => start >= edge - border).length,
            cut: heads.filter(([start, end]) => start < edge - border && end > edge + border).length,
            empty: edge - Math.max(...heads.map(([, end]) => end).filter((end) => end <= edge + border)),
          }
        })
        expect(cut).toBe(0)
        expect(inside).toBeGreaterThan(2)
        expect(beyond).toBeGreaterThan(0)
        expect(empty).toBeLessThan(3)
      })
    }
    expect(await accessibilityFaults(page)).toEqual([])
  }
}, 300_000)

test('on a desktop no number of a table is cut', async () => {
  const page = await walker('ar', 'latn')
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/portal/')
  const found: Record<string, string[]> = {}
  let numbers = 0
  for (const address of [
    '/operator/enterprises',
    '/operator/people',
    '/data/layers',
    '/data/files',
    '/tool-apis',
    '/runs',
  ]) {
    await follow(page, address)
    await page.waitForURL(`**/portal${address}`)
    await settled(page)
    const cells = await page
      .locator('.table-body .table-number > *')
      .evaluateAll((all) =>
        all.map(({ scrollWidth, clientWidth, textContent }) => [scrollWidth > clientWidth, textContent] as const),
      )
    numbers += cells.length
    const cut = cells.flatMap(([isCut, text]) => (isCut ? [text] : []))
    if (cut.length > 0) found[address] = cut
  }
  expect(numbers).toBeGreaterThan(10)
  expect(found).toEqual({})
}, 300_000)

test('in Arabic the end of a key has its dots before it', async () => {
  const page = await walker('ar', 'latn')
  await page.goto('/portal/reference')
  const option = page.locator('option', { hasText: 'Pump 1' }).first()
  await option.waitFor({ state: 'attached' })
  expect(await option.textContent()).toMatch(/ \(\u2068….{4}\u2069\)$/)
}, 300_000)

test('in Arabic a number is read before its unit, in Latin digits too', async () => {
  const page = await walker('ar', 'latn')
  await page.goto('/portal/tools/vector.buffer')
  const help = page.locator('[data-field="distance_m"] .field-help')
  await help.waitFor()
  const [number, unit] = await help.evaluate((element) => {
    const { firstChild: text, ownerDocument } = element
    const content = text?.textContent ?? ''
    const end = content.lastIndexOf(' م')
    const range = ownerDocument.createRange()
    return [
      [content.lastIndexOf('100,000'), end],
      [end + 1, end + 2],
    ].map(([from, to]) => {
      range.setStart(text, from)
      range.setEnd(text, to)
      return range.getBoundingClientRect().x
    })
  })
  expect(unit).toBeLessThan(number)
}, 300_000)

/** The pages of accounts in Chromium: first operator, invitation, signing in, reset, in both languages. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { View } from '../../support/browser/browser.ts'
import { firstOperatorToken } from '../../support/browser/browser-session.ts'
import { expectAccessible, portalPages } from '../../support/browser/portal-pages.ts'
import { sampleOf } from '../../support/rounds.ts'

const PASSWORD = 'correct horse battery'
// the first operator is made
const { instance, open: openPage } = portalPages({})
let enterpriseId: string
beforeAll(async () => {
  enterpriseId = (await instance.organization()).id
}, 300_000)

/** @param address a path from /portal on, or a whole link */
const open = (address: string, view: View = {}): Promise<Page> =>
  openPage(undefined, address.slice(address.indexOf('/portal') + '/portal'.length), view)

const invite = (email: string, role: string): Promise<{ path: string }> =>
  instance.manage('POST', `/enterprises/${enterpriseId}/invitations`, { email, role })

/** Invites an account to a new enterprise. */
async function invitedTo(name: string, email: string, role: string): Promise<{ id: string; path: string }> {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name, tier: 'business' })
  const invitations = `/enterprises/${id}/invitations`
  const { path } = await instance.manage<{ path: string }>('POST', invitations, { email, role })
  return { id, path }
}
async function createAccount(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
}
async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('the printed link makes the first operator, who is signed in afterwards', async () => {
  const page = await open(`/portal/welcome/${firstOperatorToken(instance)}`)
  await page.getByLabel('E-mail address').fill('operator@example.org')
  await page.getByLabel('Your name').fill('Operator')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(/\/portal\/(\?|$)/)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await page.reload()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  expect(instance.log()).not.toContain(`"path":"/portal/welcome/${firstOperatorToken(instance)}`)
}, 300_000)

test('an invitation in Arabic, signing out, and signing in again on the same page', async () => {
  const page = await open((await invite('amina@example.org', 'admin')).path, { language: 'ar' })
  await page.getByLabel('اسمك').fill('أمينة')
  await page.getByLabel('كلمة المرور', { exact: true }).fill(PASSWORD)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'إنشاء الحساب' }).click()
  await page.getByRole('button', { name: 'الحساب', exact: true }).click()
  await page.getByRole('menuitem', { name: 'تسجيل الخروج' }).click()
  await page.waitForURL('**/sign-in?next=**')
  await page.goto('/portal/?view=1')
  await page.waitForURL('**/sign-in?next=**')
  await page.getByLabel('البريد الإلكتروني').fill('amina@example.org')
  await page.getByLabel('كلمة المرور').fill('not the password')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'تسجيل الدخول' }).click()
  await page.getByRole('alert').getByText('البريد الإلكتروني أو كلمة المرور غير صحيحة.').waitFor()
  await page.getByLabel('كلمة المرور').fill(PASSWORD)
  await page.getByRole('button', { name: 'تسجيل الدخول' }).click()
  await page.waitForURL('**/portal/?view=1')
}, 300_000)

test('a broken rule of a field is said at the field, in the language of the page, without the browser’s bubble', async () => {
  const page = await open('/portal/sign-in', { language: 'ar' })
  await page.evaluate(`{
    globalThis.bubbles = 0
    // called after the page's own handlers
    addEventListener('invalid', (event) => setTimeout(() => { if (!event.defaultPrevented) globalThis.bubbles++ }), true)
  }`)
  const errors = page.locator('.field-error')
  await page.getByRole('button', { name: 'تسجيل الدخول' }).click()
  await errors.nth(1).waitFor()
  expect(await errors.allTextContents()).toEqual(['املأ هذا الحقل.', 'املأ هذا الحقل.'])
  expect(await page.locator(':focus').getAttribute('type')).toBe('email')
  await page.locator(':focus').fill('amina')
  await page.locator('input[type="password"]').fill('x')
  await errors.first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'تسجيل الدخول' }).click()
  await errors.filter({ hasText: 'name@example.org' }).waitFor()
  await expectAccessible(page)
  expect(await page.evaluate<number>('globalThis.bubbles')).toBe(0)
})

test('a used link is explained, and an address outside of the portal is not followed', async () => {
  const used = await open(`/portal/welcome/${firstOperatorToken(instance)}`)
  await used.getByRole('heading', { name: 'This link does not work' }).waitFor()
  const page = await open('/portal/sign-in?next=//example.org/')
  await signIn(page, 'amina@example.org')
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await page.waitForURL((url) => url.pathname === '/portal/')
  expect(new URL(page.url()).host).toBe(new URL(instance.url()).host)
}, 300_000)

test('a person with an account joins another enterprise with the same account', async () => {
  const { path } = await invitedTo('Second', 'amina@example.org', 'member')
  const page = await open(path)
  await page.getByRole('heading', { name: /^Join .?Second/ }).waitFor()
  await page.getByRole('link', { name: 'I have an account already' }).click()
  await signIn(page, 'amina@example.org')
  await page.getByRole('button', { name: 'Join as' }).click()
  await page.getByRole('button', { name: 'Enterprise' }).click()
  await page.getByRole('menuitemradio', { name: 'Second' }).waitFor()
}, 300_000)

test('an owner invites, changes a role, resets a password and removes', async () => {
  const { path } = await invitedTo('Team', 'lead@example.org', 'owner')
  const page = await open(path)
  await createAccount(page, 'Lead')
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('button', { name: 'Invite member' }).click()
  await page.getByRole('dialog').getByLabel('E-mail address').fill('Helper@example.org')
  await page.getByRole('dialog').getByLabel('Role').selectOption('admin')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = (await page.getByTestId('key').textContent()) ?? ''
  await expectAccessible(page)
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await page.getByRole('heading', { name: 'Pending invitations' }).waitFor()

  const helper = await open(link)
  await createAccount(helper, 'Helper')
  await helper.getByRole('link', { name: 'Members' }).waitFor()

  await page.reload()
  const row = page.getByRole('row').filter({ hasText: 'helper@example.org' })
  await row.waitFor()
  await page.getByRole('heading', { name: 'Pending invitations' }).waitFor({ state: 'detached' })
  await expectAccessible(page)
  await row.getByRole('combobox').selectOption('member')
  await page.getByRole('status').getByText('has the role').waitFor()
  await helper.reload()
  await helper.getByRole('navigation', { name: 'Pages' }).waitFor()
  expect(await helper.getByRole('link', { name: 'Members' }).count()).toBe(0)

  await row.getByRole('button', { name: 'Reset the password' }).click()
  expect(await page.getByTestId('key').textContent()).toStartWith(`${instance.url()}/portal/welcome/`)
  await page.getByRole('button', { name: 'I have saved it' }).click()
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click()
  await row.waitFor({ state: 'detached' })
}, 300_000)

test('an invitation whose response was lost is created once, and its link is shown after the retry', async () => {
  const { id, path } = await invitedTo('Lost', 'lost-lead@example.org', 'owner')
  const page = await open(path)
  await createAccount(page, 'Lead')
  await page.getByRole('link', { name: 'Members' }).click()
  let tries = 0
  await page.route('**/invitations', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    tries++
    if (tries > 1) return route.continue()
    // the server created it, but the response is lost
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Invite member' }).click()
  await page.getByRole('dialog').getByLabel('E-mail address').fill('once@example.org')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = (await page.getByTestId('key').textContent()) ?? ''
  const { items } = await instance.manage<{ items: { email: string }[] }>('GET', `/enterprises/${id}/invitations`)
  expect([tries, items.map(({ email }) => email)]).toEqual([2, ['once@example.org']])
  const invited = await open(link)
  await createAccount(invited, 'Once')
  await invited.getByRole('link', { name: 'Sensors' }).waitFor()
}, 300_000)

test('the own account: name, password, devices', async () => {
  const page = await open('/portal/sign-in?next=/account')
  await signIn(page, 'lead@example.org')
  await page.getByLabel('Name').fill('Renamed')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('The name was saved.').waitFor()
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByLabel('New password').fill('short')
  await expectAccessible(page)
  await page.getByLabel('New password').fill(`new ${PASSWORD}`)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('The password was changed.').waitFor()
  await page.reload()
  await page.getByText('This device').waitFor()
  expect(await page.locator('.session-list li').count()).toBe(1)
  await page.getByLabel('Language', { exact: true }).selectOption('ar')
  await page.getByRole('heading', { name: 'الحساب' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'تسجيل الخروج من كل الأجهزة' }).click()
  await page.waitForURL('**/sign-in?**')
}, 300_000)

const OFF = {
  en: {
    reset: ['This server cannot send a link', 'An owner of your enterprise'],
    signUp: ['Accounts are made by invitation', 'Ask an owner or an administrator'],
    signIn: 'Back to sign in',
  },
  ar: {
    reset: ['لا يستطيع هذا الخادم إرسال رابط', 'مالك مؤسستك'],
    signUp: ['تُنشأ الحسابات بدعوة', 'اطلب دعوة من مالك مؤسستك'],
    signIn: 'العودة إلى تسجيل الدخول',
  },
}
for (const language of sampleOf(['en', 'ar'] as const, 1))
  test(`${language}: without mail and sign-up, their pages say so instead of asking for an address`, async () => {
    const page = await open('/portal/sign-in', { language })
    for (const [path, texts] of [
      ['reset-password', OFF[language].reset],
      ['sign-up', OFF[language].signUp],
    ] as const) {
      await page.goto(`/portal/${path}`)
      for (const text of texts) await page.getByText(text).waitFor()
      expect([path, await page.locator('input').count()]).toEqual([path, 0])
      await expectAccessible(page)
    }
    await page.getByRole('link', { name: OFF[language].signIn }).click()
    await page.waitForURL('**/portal/sign-in')
    // where mail is sent and sign-up is open
    await page.route('**/auth/session', async (route) => {
      const answer = await route.fetch()
      const { data, ...rest } = (await answer.json()) as { data: object }
      await route.fulfill({ response: answer, json: { ...rest, data: { ...data, mail: true, signUp: 'open' } } })
    })
    for (const path of ['reset-password', 'sign-up']) {
      await page.goto(`/portal/${path}`)
      await page.locator('input[type="email"]').waitFor()
    }
  }, 300_000)

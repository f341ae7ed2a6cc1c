/** How many mails with links one address gets, and one enterprise sends. */
import { expect, test } from 'bun:test'
import { createMemoryRateWindows } from '../../../src/access/rate-windows.ts'
import { createSignInLimits } from '../../../src/access/sign-in/sign-in-limits.ts'

const DAY_MS = 86_400_000

test('an enterprise sends 200 mails in a day, to any addresses; this limits neither others nor the operator', async () => {
  let nowMs = 1_000 * DAY_MS
  const windows = createMemoryRateWindows(
    async () => [],
    () => nowMs,
  )
  const limits = createSignInLimits(windows, { perAddress: 1, perAccount: 1 })
  let sent = 0
  const send = (enterpriseId: string | undefined) => limits.allowsMail(`person-${sent++}@example.org`, enterpriseId)
  for (let i = 0; i < 200; i++) expect(await send('ent_1')).toBe(true)
  expect([await send('ent_1'), await send('ent_2'), await send(undefined)]).toEqual([false, true, true])
  nowMs += DAY_MS + DAY_MS / 60
  expect(await send('ent_1')).toBe(true)
})

test('mails sent by others count with the mails that anybody can request', async () => {
  const limits = createSignInLimits(
    createMemoryRateWindows(async () => []),
    { perAddress: 1, perAccount: 1 },
  )
  const email = 'reader@example.org'
  for (let i = 0; i < 2; i++) await limits.checkMail(email)
  const allowed = []
  for (let i = 0; i < 4; i++) allowed.push(await limits.allowsMail(email, 'ent_1'))
  expect(allowed).toEqual([true, true, true, false])
  await expect(limits.checkMail(email)).rejects.toMatchObject({ code: 'SIGN_IN_LIMITED' })
})

import { expect, test } from 'bun:test'
import { startRenewals } from '../../../src/stores/renewals.ts'
import { until } from '../../support/until.ts'

test('no renewal begins while another one runs, also after a failed one', async () => {
  const errors: unknown[] = []
  const underWay: PromiseWithResolvers<void>[] = []
  const renewals = startRenewals(
    () => {
      const work = Promise.withResolvers<void>()
      underWay.push(work)
      return work.promise
    },
    1,
    (error) => errors.push(error),
  )
  await until(() => underWay.length > 0, 'the first renewal')
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await until(() => turns > 20, 'the time of other renewals')
  clearInterval(timer)
  renewals.renew()
  expect(underWay).toHaveLength(1)
  underWay[0]?.reject(new Error('lost'))
  await until(() => underWay.length === 2, 'the next renewal')
  expect(errors).toEqual([new Error('lost')])
  renewals.stop()
  underWay[1]?.resolve()
})

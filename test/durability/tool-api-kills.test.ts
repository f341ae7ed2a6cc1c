/** The server is killed while Tool APIs are called often: the daily allowance counts each call that ran, and no other. */
import { expect, test } from 'bun:test'
import { killRandom, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { sharedInstance } from '../support/server/shared-instance.ts'
import { toolApisOf } from '../support/server/tool-apis.ts'

const CALLERS = 6
const KILLS = rounds(2, 4)

const instance = await sharedInstance()
const { save, run } = toolApisOf(() => instance)

test('after kills, the requests of the day equal the number of calls', async () => {
  const random = killRandom('tool-api-kills')('moments')
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Busy', tier: 'scale' })
  const api = await save(id, 'vector.centroids')
  const input = { type: 'Point', coordinates: [1, 2] }
  let [sent, answered] = [0, 0]
  const used = async (): Promise<number> =>
    (await instance.manage<{ requests: { used: number } }>('GET', `/owners/${id}/usage`)).requests.used
  for (let round = 0; round < KILLS; round++) {
    const first = answered
    let isOver = false
    // once its processes have started
    expect((await run(api, { input })).status).toBe(200)
    ;[sent, answered] = [sent + 1, answered + 1]
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!isOver) {
        sent++
        const answer = await run(api, { input }).catch(() => undefined)
        if (answer === undefined) return
        expect(answer.status).toBe(200)
        answered++
      }
    })
    await Bun.sleep(300 + whole(random, 1_500))
    await instance.kill('SIGKILL')
    isOver = true
    await Promise.all(callers)
    expect(answered - first).toBeGreaterThan(CALLERS)
    await instance.restart()
    expect(await used()).toBeWithin(answered, sent + 1)
  }
  // a call without an answer may have been counted or not
  expect(sent - answered).toBeLessThanOrEqual(CALLERS * KILLS)
}, 240_000)

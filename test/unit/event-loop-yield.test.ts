/** Long work of the server's thread leaves the event loop free, also when many calls have some. */
import { expect, spyOn, test } from 'bun:test'
import { inTurns, nextTurn, TextInTurns } from '../../src/event-loop-yield.ts'

/** The longest time between two passes of the event loop during the work. */
async function longestPause(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let lastMs = performance.now()
  let isDone = false
  const pass = (): void => {
    const nowMs = performance.now()
    longest = Math.max(longest, nowMs - lastMs)
    lastMs = nowMs
    if (!isDone) setImmediate(pass)
  }
  setImmediate(pass)
  await work()
  isDone = true
  return Math.max(longest, performance.now() - lastMs)
}

test('one pass of the event loop has one turn, however many callers wait', async () => {
  let turns = 0
  const most: number[] = []
  const pass = (): void => {
    most.push(turns)
    turns = 0
    if (most.length < 100) setImmediate(pass)
  }
  setImmediate(pass)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let i = 0; i < 3; i++) {
        await nextTurn()
        turns++
      }
    }),
  )
  expect(Math.max(...most)).toBe(1)
})

test('two hundred milliseconds of work of twenty calls never hold the loop for long', async () => {
  // a clock that only work advances: on a busy machine another process would add its time to a pause
  let workedMs = 0
  const clock = spyOn(performance, 'now').mockImplementation(() => workedMs)
  const steps: number[] = []
  const work = (): Promise<void> =>
    inTurns(100, (index) => {
      steps.push(index)
      workedMs += 0.1
    })
  const longest = await longestPause(() => Promise.all(Array.from({ length: 20 }, work)))
  clock.mockRestore()
  expect(steps).toHaveLength(2_000)
  // without turns 200; a turn has 4 ms, and ends after the 16 steps between two reads of the clock
  expect(longest).toBeLessThan(8)
})

test('the text is complete, and other work gets its turn while it is written', async () => {
  let passes = 0
  let isWritten = false
  const pass = (): void => {
    passes++
    if (!isWritten) setImmediate(pass)
  }
  setImmediate(pass)
  const text = new TextInTurns()
  text.add('[')
  await text.addList(1_000_000, (i) => `"é${i}"`)
  text.add(']')
  isWritten = true
  const expected = JSON.stringify(Array.from({ length: 1_000_000 }, (_, i) => `é${i}`))
  expect(Buffer.concat(text.end()).toString()).toBe(expected)
  expect(passes).toBeGreaterThan(5)
})

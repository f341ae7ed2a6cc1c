/** Writing the last use of keys: in batches, and again after a failure. That it reaches the keys: sensor-names.test.ts. */
import { expect, test } from 'bun:test'
import { startKeyUse } from '../../../src/access/keys/key-use.ts'
import type { Database } from '../../../src/stores/postgres/client.ts'

test('a fleet is written in statements of 1,000 keys, and failed statements are repeated', async () => {
  let statements = 0
  let isDown = true
  const db = {
    async execute() {
      if (isDown) throw new Error('down')
      statements++
    },
  }
  const errors: unknown[] = []
  const use = startKeyUse(db as unknown as Database, (error) => errors.push(error))
  for (let i = 0; i < 2_500; i++) use.note('sensor-key', `key_${i}`, i)
  await use.stop()
  expect(errors).toHaveLength(1)
  isDown = false
  await use.stop()
  expect(statements).toBe(3)
  await use.stop()
  expect(statements).toBe(3)
})

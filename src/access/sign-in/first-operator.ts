/**
 * The link that makes the first operator. It is in DATA_DIR/first-operator.link until it is used, and every start
 * prints it. With several machines each has its own link; only the first one used works.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { hasOperator } from '../../stores/postgres/accounts/accounts.ts'
import { findUsableLink } from '../../stores/postgres/accounts/one-time-links.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { sha256Hex } from '../keys/keys.ts'
import { FIRST_OPERATOR_MS, type OneTimeLinks, welcomePath } from '../mail/one-time-links.ts'

/** @returns the path of the link's page; undefined if there is an operator */
export async function openFirstOperatorLink(
  db: Database,
  links: OneTimeLinks,
  file: string,
): Promise<string | undefined> {
  if (await hasOperator(db)) {
    await rm(file, { force: true })
    return undefined
  }
  const known = await tokenIn(file)
  if (known !== undefined && (await findUsableLink(db, sha256Hex(known))) !== undefined) return welcomePath(known)
  const expiresAt = new Date(Date.now() + FIRST_OPERATOR_MS)
  const { token } = await links.make({ actor: 'system', role: 'server' }, { kind: 'operator', email: null, expiresAt })
  await writeFile(file, `${token}\n`, { mode: 0o600 })
  return welcomePath(token)
}

/** To be called when somebody has become operator. */
export const removeFirstOperatorLink = (file: string): Promise<void> => rm(file, { force: true })

async function tokenIn(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

/**
 * The secret that signs cookies. PORTAL_SECRET, or a secret that the first start creates: in DATA_DIR/portal.secret
 * with the embedded PostgreSQL, and in the database with a PostgreSQL server, where all instances find it. Reading it
 * there does not allow taking over sessions, since the database has no session tokens (session-tokens.ts).
 */
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { portalSecret } from '../../stores/postgres/accounts/account-schema.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { newSecretText } from '../sessions/session-cookie.ts'

export type PortalSecretOptions = {
  configured: string | undefined
  file: string
  /** Whether other instances may use the same database. */
  isShared: boolean
}

export async function openPortalSecret(
  db: Database,
  { configured, file, isShared }: PortalSecretOptions,
): Promise<string> {
  if (configured !== undefined) return configured
  return isShared ? storedSecret(db) : secretIn(file)
}

async function storedSecret(db: Database): Promise<string> {
  await db.insert(portalSecret).values({ secret: newSecretText() }).onConflictDoNothing()
  const [row] = await db.select().from(portalSecret)
  if (row === undefined) throw new Error('the secret of the portal is missing from its table')
  return row.secret
}

/** Written to a temporary name first. Only the server's account can read it. */
export async function secretIn(file: string): Promise<string> {
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${newSecretText()}\n`, { mode: 0o600 })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  return (await readFile(file, 'utf8')).trim()
}

/** Calls a running server as any other client would. */
import { readFileSync } from 'node:fs'
import { readConfig } from '../config.ts'

/** What went wrong, for the person at the terminal. */
export class CliError extends Error {}

export type Connection = { url: string; tokenFile: string }

/** Where the server of this environment listens, and where its token lies. */
export function defaultConnection(): Connection {
  const config = readConfig(process.env)
  return { url: `http://${config.host}:${config.port}`, tokenFile: config.operatorTokenFile }
}

export type Answer<T> = {
  ok: boolean
  statusCode: number
  code: string
  message: string
  data: T
  errors?: { field: string; message: string }[]
}

/** @throws CliError when the server cannot be reached or does not answer with an envelope */
export async function call<T>(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer<T>> {
  let response: Response
  try {
    response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new CliError(`No Groundwave server answers at ${url}. Start one with: npm start`)
  }
  try {
    return (await response.json()) as Answer<T>
  } catch {
    throw new CliError(`${url}${path} answered ${response.status} with something that is not an envelope`)
  }
}

/** A caller of /manage/v1 that gives `data` or throws what the server said. */
export function operator({ url, tokenFile }: Connection) {
  let token: string
  try {
    token = readFileSync(tokenFile, 'utf8').trim()
  } catch {
    throw new CliError(`There is no operator token at ${tokenFile}. Has the server been started on this DATA_DIR?`)
  }
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call<T>(url, method, `/manage/v1${path}`, { authorization: `Bearer ${token}` }, body)
    if (answer.ok) return answer.data
    const fields = (answer.errors ?? []).map(({ field, message }) => `\n  ${field} ${message}`).join('')
    throw new CliError(`${answer.code}: ${answer.message}${fields}`)
  }
}

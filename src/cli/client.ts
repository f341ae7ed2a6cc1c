/** HTTP client for a running server. */
import { readFileSync } from 'node:fs'
import { readConfig } from '../config.ts'

/** An expected failure; the message is printed without a stack. */
export class CliError extends Error {}

export type Connection = { url: string; tokenFile: string }

/** Address and token file of the server that this environment describes. */
export function defaultConnection(): Connection {
  const config = readConfig(process.env)
  return { url: `http://${config.host}:${config.port}`, tokenFile: config.operatorTokenFile }
}

/** The link of the first operator. @throws CliError when there is none, or it was used */
export function firstOperatorUrl(): string {
  const { publicUrl, host, port, firstOperatorFile } = readConfig(process.env)
  let token: string
  try {
    token = readFileSync(firstOperatorFile, 'utf8').trim()
  } catch {
    throw new CliError(
      `There is no ${firstOperatorFile}: the first operator has an account already, or the server was never started. Check DATA_DIR.`,
    )
  }
  return `${publicUrl ?? `http://${host}:${port}`}/portal/welcome/${token}`
}

export type Answer<T> = {
  ok: boolean
  statusCode: number
  code: string
  message: string
  data: T
  errors?: { field: string; message: string }[]
}

/** @throws CliError when the server cannot be reached or does not answer with JSON */
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
    throw new CliError(`No Groundwave server answers at ${url}. Start one with "npm start", or check HOST and PORT.`)
  }
  try {
    return (await response.json()) as Answer<T>
  } catch {
    throw new CliError(`${url}${path} answered with status ${response.status} and a body that is not JSON`)
  }
}

/** A function that calls /manage/v1 and returns `data`. @throws CliError with the server's message */
export function operator({ url, tokenFile }: Connection) {
  let token: string
  try {
    token = readFileSync(tokenFile, 'utf8').trim()
  } catch {
    throw new CliError(
      `Cannot read the operator token at ${tokenFile}. The first start of the server creates it; check DATA_DIR.`,
    )
  }
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await call<T>(url, method, `/manage/v1${path}`, { authorization: `Bearer ${token}` }, body)
    if (answer.ok) return answer.data
    const fields = (answer.errors ?? []).map(({ field, message }) => `\n  ${field} ${message}`).join('')
    throw new CliError(`${answer.code}: ${answer.message}${fields}`)
  }
}

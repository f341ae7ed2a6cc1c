import type { Config } from '../config.ts'

/** The address of the server in links, without a slash at its end. */
export const publicAddress = ({ publicUrl, host, port }: Config): string => publicUrl ?? `http://${host}:${port}`

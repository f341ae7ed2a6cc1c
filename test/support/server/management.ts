/** Requests to the management API, with the operator's token. */
import type { Envelope, Instance } from './instance.ts'

export function managementOf(instance: Instance) {
  return {
    /** All items of a list, `limit` in a page. */
    async all<T>(path: string, limit: number): Promise<T[]> {
      const found: T[] = []
      for (let cursor = ''; ; ) {
        const page = await instance.manage<{ items: T[]; nextCursor: string | null }>(
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`,
        )
        if (page.items.length > limit) throw new Error(`${page.items.length} items in a page of ${limit}`)
        found.push(...page.items)
        if (page.nextCursor === null) return found
        cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
      }
    },
    /** Like `manage` of the instance, with headers and with failures returned as answers. */
    async call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
      const operator = { authorization: `Bearer ${instance.operatorToken()}`, 'content-type': 'application/json' }
      const response = await fetch(`${instance.url()}/manage/v1${path}`, {
        method,
        headers: { ...operator, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, headers: response.headers, ...((await response.json()) as Envelope) }
    },
  }
}

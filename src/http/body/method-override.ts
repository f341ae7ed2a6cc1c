/**
 * `X-HTTP-Method-Override` of resumable uploads: tus 1.0 takes it as the method of the request, for clients behind
 * proxies that know GET and POST only. All later steps, authorization included, see that method. The header is ignored
 * elsewhere.
 */

const METHODS = new Set(['PATCH', 'DELETE', 'HEAD'])

export function withOverriddenMethod(request: Request): Request {
  const { headers } = request
  if (request.method !== 'POST' || !headers.has('tus-resumable')) return request
  const method = headers.get('x-http-method-override')?.trim().toUpperCase() ?? ''
  if (!METHODS.has(method)) return request
  return method === 'PATCH'
    ? new Request(request, { method })
    : new Request(request.url, { method, headers, signal: request.signal })
}

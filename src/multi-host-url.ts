/** URLs that name several servers: `scheme://user:password@host1:port1,host2:port2/path?query`. */

const PARTS = /^([a-z][a-z\d+.-]*:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/is

/** One URL for each host, in the given order; a URL with one host is returned unchanged. */
export function urlOfEachHost(url: string): string[] {
  const [, scheme = '', user = '', hosts = '', rest = ''] = PARTS.exec(url) ?? []
  if (!hosts.includes(',')) return [url]
  return hosts.split(',').map((host) => scheme + user + host.trim() + rest)
}

/** Whether a host is this machine. @param hostname as in a URL */
export const isLoopback = (hostname: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|::1)$/.test(hostname)

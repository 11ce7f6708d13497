/** First path segments that are reserved for the node itself; no account can have such a name. */
const PLATFORM_SEGMENTS = new Set([
  '.well-known',
  'access',
  'admin',
  'apps',
  'assets',
  'auth',
  'favicon.ico',
  'hostings',
  'metrics',
  'oauth2',
  'openapi.json',
  'reg',
  'service',
  'socket.io',
  'sync',
  'system',
  'users',
  'web',
])

/** Checks whether a first path segment is reserved for the node. */
export const isPlatformSegment = (segment: string): boolean => PLATFORM_SEGMENTS.has(segment)

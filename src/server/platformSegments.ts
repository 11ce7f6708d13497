/** First path segments that belong to the node itself: no account is reached there, and none may have such a name. */
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

/** Whether a first path segment is the node's. */
export const isPlatformSegment = (segment: string): boolean => PLATFORM_SEGMENTS.has(segment)

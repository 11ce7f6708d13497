/** Names of the checks, for help and completion, which load no check. */
export const checkNames = [
  'store', 'disk', 'backups', 'settings', 'key', 'permissions', 'clock', 'address', 'proxy', 'domain', 'certificate', 'mail', 'sso', 'versions', 'limits', 'sync', 'webhooks', 'waiting',
] as const

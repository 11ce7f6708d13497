/** The names of the checks of the doctor, for help and completion, which load none of them. */
export const checkNames = [
  'store', 'disk', 'backups', 'settings', 'key', 'permissions', 'clock', 'address', 'proxy', 'domain', 'certificate', 'mail', 'sso', 'versions', 'limits', 'sync', 'webhooks', 'waiting',
] as const

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Checks whether requests to a URL cannot be read in transit: https, or this machine. */
export const isPrivateUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))

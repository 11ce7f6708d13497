const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Whether what goes to an address is read by nobody on its way: it goes over https, or stays on this machine. */
export const isPrivateUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname))

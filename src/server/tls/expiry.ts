/** How near the end of a certificate is, and how exactly that can be known. */
export const DAY_MS = 86_400_000

/** With fewer days left it is told. */
export const EXPIRY_WARNING_DAYS = 14

/** What clocks may differ by. */
export const TOLERANCE_MS = 30_000

/** How near the end of a certificate is. */
export const DAY_MS = 86_400_000

/** With fewer days left it is told. */
export const FEW_DAYS = 14

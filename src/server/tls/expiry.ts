/** Thresholds for the expiry of certificates. */
export const DAY_MS = 86_400_000

/** Days before expiry from which warnings are shown. */
export const EXPIRY_WARNING_DAYS = 14

/** Tolerated clock difference in milliseconds. */
export const TOLERANCE_MS = 30_000

/** Returns the message of a caught value, which may be no Error. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export function isUpToDate(built: string, sources: readonly string[]): boolean

/** The names of bundles. Pure. */

/** Whether the name of a file is that of a bundle. */
export const isBundle = (name: string): boolean => /\.(?:mcpb|dxt)$/i.test(name)

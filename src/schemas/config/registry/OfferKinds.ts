/** The forms in which a registry offers a server. */
export const PACKAGE_TYPES = ["npm", "pypi", "oci", "mcpb"] as const
export type PackageType = (typeof PACKAGE_TYPES)[number]

export const OFFER_KINDS = [...PACKAGE_TYPES, "remote"] as const
export type OfferKind = (typeof OFFER_KINDS)[number]

/**
 * The template that clusters show which were made from none: registered from a kubeconfig, or by a driver that has no templates. Magnum's
 * clients follow `cluster_template_id`, so there must be one.
 */
export const BUILTIN_TEMPLATE = { id: 'fed91a4e-0000-4000-8000-000000000001', name: 'external' } as const

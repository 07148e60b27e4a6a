"""Bundles: plugins that load plugins. Only they know which implementation fills a seam."""

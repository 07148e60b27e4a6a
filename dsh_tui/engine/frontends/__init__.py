"""Front ends without a screen. Each one starts a `Product` or reads stored logs; none draws."""

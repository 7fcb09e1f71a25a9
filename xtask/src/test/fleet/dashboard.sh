# In an empty folder; $1: the repository; $2: what judges. Grafana itself is in no registry of packages: its SDK is in PyPI.
/usr/bin/python3 -m venv grafana
grafana/bin/pip install --quiet 'grafana-foundation-sdk==1769699379!11.6.0' 'typeguard==4.4.4'
grafana/bin/python -c "$2" "$1/fleet/monitoring/wirespeed.dashboard.json"
